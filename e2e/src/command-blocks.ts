import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { scriptPath } from './scripts.ts'

/** A block of commands of a page, and what the page says that it prints. */
export interface Block {
  readonly commands: string
  readonly prints: string
}

const END_OF_BLOCK = '--- end of block ---'

/** Pages are typed in the project's folder; here the files stand in one of their own, and the command is the same. */
const PROJECT_COMMANDS = `npm() { while [ "$1" != -- ]; do shift; done; shift; node '${scriptPath('verify.ts')}' "$@"; }\n`

/** A machine with Node and nothing else can run all other tests. */
export const canType = ['bash', 'curl', 'sed'].every(tool => spawnSync(tool, ['--version']).status === 0)

/** What stands under a heading of the second level. */
export function sectionOf(page: string, heading: string): string {
  const [, after = ''] = page.split(`\n## ${heading}\n`)
  return after.split('\n## ')[0] ?? ''
}

export function blocksIn(text: string): Block[] {
  const blocks = text.matchAll(/```bash\n(.*?)```(?:\n\n```text\n(.*?)```)?/gs)
  return [...blocks].map(([, commands = '', prints = '']) => ({ commands, prints }))
}

/** Types blocks into one bash, one after the other, and answers what each printed. The first failure ends it. */
export async function typed(
  blocks: readonly Block[],
  adapt: (text: string) => string,
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<string[]> {
  const script = blocks.map(({ commands }) => `${commands}\necho '${END_OF_BLOCK}'\n`).join('')
  const { stdout } = await promisify(execFile)(
    'bash',
    ['-euo', 'pipefail', '-c', PROJECT_COMMANDS + adapt(script)],
    options,
  )
  return stdout.split(`${END_OF_BLOCK}\n`)
}

/** The printed text as a page gives it; `…` there stands for what differs each time. */
export function patternOf(prints: string): RegExp {
  return new RegExp(`^${prints.split('…').map(RegExp.escape).join('[^\\n]+')}$`)
}
