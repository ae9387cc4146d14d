import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

/** A block of commands of a page, and the output that the page shows. */
export interface Block {
  readonly commands: string
  readonly prints: string
}

const END_OF_BLOCK = '--- end of block ---'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Background processes of a block end with the page, also after a failure. */
const CLEAN_UP = `trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n`

/** All other tests need only Node. */
export const canRunBash = ['bash', 'curl', 'sed'].every(tool => spawnSync(tool, ['--version']).status === 0)

export function blocksIn(text: string): Block[] {
  const blocks = text.matchAll(/```bash\n(.*?)```(?:\n\n```text\n(.*?)```)?/gs)
  return [...blocks].map(([, commands = '', prints = '']) => ({ commands, prints }))
}

/** The programs of a page, by their file names. */
export function programsIn(page: string): [name: string, text: string][] {
  const found = page.matchAll(/`([\w-]+\.(?:mjs|py))`:\n\n```(?:js|py)\n(.*?)```/gs)
  return [...found].map(([, name = '', text = '']) => [name, text])
}

const README_SERVICE = 'http://localhost:8080'
const README_RECEIVER_PORT = '9000'
const README_SHOP_PORT = '9001'

/** A page's text with the address of this service, and with these ports for a receiver and a shop. */
export function placed(service: string, receiverPort: number, shopPort = 0) {
  const ports = [
    [README_RECEIVER_PORT, String(receiverPort)],
    [README_SHOP_PORT, String(shopPort)],
  ] as const
  return {
    adapt(text: string): string {
      const here = text
        .replaceAll(README_SERVICE, service)
        .replaceAll('run --silent listen -- ', `run --silent listen -- --port ${receiverPort} `)
      return ports.reduce(
        (adapted, [written, real]) =>
          adapted
            .replaceAll(`127.0.0.1:${written}`, `127.0.0.1:${real}`)
            .replaceAll(`/dev/tcp/127.0.0.1/${written}`, `/dev/tcp/127.0.0.1/${real}`)
            .replaceAll(`listen(${written})`, `listen(${real})`),
        here,
      )
    },
    /** The output, in the form of a page. */
    restore(text: string): string {
      return ports.reduce(
        (restored, [written, real]) => restored.replaceAll(`127.0.0.1:${real}`, `127.0.0.1:${written}`),
        text
          .replaceAll(service, README_SERVICE)
          // By this name a service of this machine speaks of itself.
          .replaceAll(service.replace('127.0.0.1', 'localhost'), README_SERVICE),
      )
    },
  }
}

/** Runs blocks in one bash, one after the other, and returns the output of each. The first failure ends it. */
export async function typed(
  blocks: readonly Block[],
  adapt: (text: string) => string,
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<string[]> {
  const commands = mkdtempSync(join(tmpdir(), 'batua-commands-'))
  try {
    writeFileSync(join(commands, 'npm'), npmCommand(), { mode: 0o755 })
    const env = { ...options.env, PATH: `${commands}${delimiter}${options.env['PATH'] ?? ''}` }
    const script = blocks
      .map(block => `${waitBefore(block)}${block.commands}\necho '${END_OF_BLOCK}'\n`)
      .join('')
    const bash = ['-euo', 'pipefail', '-c', CLEAN_UP + adapt(script)]
    const { stdout } = await promisify(execFile)('bash', bash, { ...options, env })
    return stdout.split(`${END_OF_BLOCK}\n`)
  } finally {
    rmSync(commands, { recursive: true, force: true })
  }
}

/** An event is fanned out a moment after it happened, to the platforms that then have an address. No reader types as
 * fast as a test, so the events from before an address is registered must be fanned out first.
 */
function waitBefore({ commands }: Block): string {
  if (!commands.includes('"webhook_url": "http')) return ''
  return `until curl -s $B/metrics | grep -q '^batua_webhook_queue_rows 0$'; do sleep 0.05; done\n`
}

/** `npm run --silent NAME -- …` of the project. Readers type the commands in the project's folder; here the files are
 * in a separate folder, and the script is the same. It is a program and not a function, so that it can be stopped by
 * its id.
 */
function npmCommand(): string {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>
  }
  const cases = Object.entries(scripts).flatMap(([name, script]) => {
    const [, flags, path] = /^(?:exec )?node ((?:--\S+ )*)(\S+\.ts)$/.exec(script) ?? []
    return path === undefined ? [] : [`  ${name}) exec node ${flags}'${join(ROOT, path)}' "$@" ;;\n`]
  })
  return `#!/usr/bin/env bash
shift
if [ "\${1:-}" = --silent ]; then shift; fi
name=\${1:-}
shift
export INIT_CWD=$PWD
cd '${ROOT}'
if [ "\${1:-}" = -- ]; then shift; fi
case $name in
${cases.join('')}  *) echo "no script $name" >&2; exit 1 ;;
esac
`
}

/** A pattern for the output on a page, in which `…` stands for text that differs each time. */
export function patternOf(prints: string): RegExp {
  return new RegExp(`^${prints.split('…').map(RegExp.escape).join('[^\\n]+')}$`)
}
