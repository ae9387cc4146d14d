import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { programsIn } from './src/command-blocks.ts'
import { freePort } from './src/free-port.ts'
import { type Listener, openWebhookStage, until, type WebhookStage } from './src/webhook-stage.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SDK = join(ROOT, 'sdk')
/** Half of it are the types and the descriptions of every route and field, which grow with the API; a tenth is x402 and MPP. */
const MAX_TARBALL_BYTES = 143_000
/** What a program loads for everything but other protocols, compressed. */
const MAX_CORE_BYTES = 60_000
const OTHER_PROTOCOLS = ['mcp', 'x402', 'mpp'].map(name => `@batua/sdk/${name}`)

interface Manifest {
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>
}

const manifest = JSON.parse(readFileSync(join(SDK, 'package.json'), 'utf8')) as Manifest
/** The import names of the package, and their modules. */
const specifiers = Object.entries(manifest.exports).map(([path, { '@batua/source': source = '' }]) => ({
  specifier: `@batua/sdk${path.slice(1)}`,
  source: pathToFileURL(join(SDK, source)).href,
}))

const folder = mkdtempSync(join(tmpdir(), 'batua-package-'))
const home = join(folder, 'empty')
const installed = join(home, 'node_modules', '@batua', 'sdk')
/** Without the environment of the tests, whose npm may be configured for this project. */
const env = {
  PATH: process.env['PATH'] ?? '',
  HOME: folder,
  NO_COLOR: '1',
  npm_config_update_notifier: 'false',
}
let tarball: string
let stage: WebhookStage
let listener: Listener

const run = promisify(execFile)
const npm = (cwd: string, ...args: readonly string[]) => run('npm', [...args], { cwd, env })

beforeAll(async () => {
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), '{ "private": true }')
  const [opened, packed] = await Promise.all([
    openWebhookStage(),
    npm(SDK, 'pack', '--pack-destination', folder),
  ])
  stage = opened
  tarball = join(folder, packed.stdout.trim().split('\n').at(-1) ?? '')
  await npm(home, 'install', tarball, '--offline', '--ignore-scripts', '--no-audit', '--no-fund')
  listener = await stage.listener()
})

afterAll(async () => {
  await stage?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Writes a program next to the installed package and runs it to its end. */
async function printedBy(
  name: string,
  text: string,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  writeFileSync(join(home, name), text)
  const { stdout } = await run(process.execPath, [name], { cwd: home, env: { ...env, ...more } })
  return stdout
}

describe('the published package', () => {
  const files = () => {
    const entries = readdirSync(installed, { recursive: true, withFileTypes: true })
    const paths = entries.filter(each => each.isFile()).map(each => join(each.parentPath, each.name))
    return paths.map(path => ({ path: path.slice(installed.length + 1), text: readFileSync(path, 'utf8') }))
  }

  test('the published package is within its size limit', () => {
    expect(statSync(tarball).size).toBeLessThan(MAX_TARBALL_BYTES)
  })

  test('loads other protocols only for a program that imports them, and is smaller without', async () => {
    const core = specifiers.map(each => each.specifier).filter(each => !OTHER_PROTOCOLS.includes(each))
    const program = `for (const name of ${JSON.stringify(core)}) require(name)
      console.log(Object.keys(require.cache).join('\\n'))`
    const loaded = (await printedBy('core.cjs', program)).trim().split('\n')
    const texts = loaded.filter(path => path.startsWith(installed)).map(path => readFileSync(path, 'utf8'))
    expect(gzipSync(texts.join('')).byteLength).toBeLessThan(MAX_CORE_BYTES)
    expect(
      texts.filter(text => /exactServer|exactClient|chargeServer|sessionClient|paidTool/.test(text)),
    ).toEqual([])
  })

  test('depends on nothing and runs nothing when it is installed', () => {
    const published = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      readonly scripts: object
    }
    expect(Object.keys(published).filter(key => /^(?!dev).*dependencies$/i.test(key))).toEqual([])
    expect(Object.keys(published.scripts).filter(name => name.endsWith('install'))).toEqual([])
    expect(readdirSync(join(home, 'node_modules')).filter(name => !name.startsWith('.'))).toEqual(['@batua'])
  })

  test('has compiled files only, and no source of its own or of the service', () => {
    for (const { path, text } of files()) {
      expect(path).toMatch(
        /^(package\.json|README\.md|dist\/cjs\/package\.json|dist\/(esm|cjs)\/[\w/-]+\.(js|d\.ts))$/,
      )
      if (!path.startsWith('dist/')) continue
      expect(text).not.toMatch(/typebox|@batua\/(contract|service)|node_modules|sourceMappingURL/)
      expect(text).not.toContain(ROOT)
    }
  })

  test('has no line so long that an uncaught error fills the screen', () => {
    const lines = files().flatMap(({ path, text }) => (path.endsWith('.js') ? text.split('\n') : []))
    expect(lines.filter(line => /\bthrow\b/.test(line) && line.length > 2_000)).toEqual([])
  })

  test('imports Node’s modules only in its modules for Node', () => {
    const code = files().filter(({ path }) => path.endsWith('.js'))
    const bound = code
      .filter(({ text }) => /(?:\bfrom|\b(?:require|import)\() ?["'`]node:|\b(?:Buffer|process)\./.test(text))
      .map(({ path }) => path)
    const [journal, lock, tabs] = ['buyer/file-journal', 'shared/file-lock', 'seller/file-tab-store']
    expect(bound.toSorted()).toEqual([journal, tabs, lock].map(name => `dist/cjs/${name}.js`))
  })
})

describe('the package in an empty folder', () => {
  test('every module exports the same as its source, for ES modules and CommonJS', async () => {
    const own = await Promise.all(
      specifiers.map(async ({ specifier, source }) => [
        specifier,
        Object.keys((await import(/* @vite-ignore */ source)) as object).toSorted(),
      ]),
    )
    const list = JSON.stringify(specifiers.map(({ specifier }) => specifier))
    const printed =
      'console.log(JSON.stringify(found.map(([name, module]) => [name, Object.keys(module).sort()])))'
    const imported = `const found = await Promise.all(${list}.map(async name => [name, await import(name)]))\n${printed}`
    const required = `const found = ${list}.map(name => [name, require(name)])\n${printed}`
    expect(JSON.parse(await printedBy('every.mjs', imported))).toEqual(own)
    expect(JSON.parse(await printedBy('every.cjs', required))).toEqual(own)
  })

  test('webhook verification and agents’ keys work with a real service, from both', async () => {
    const { platform, agent, happen, received } = listener
    // Paused and resumed: two events.
    await happen()
    await happen()
    await until(() => received().length > 0)
    const [webhook] = received()
    const input = {
      webhook: {
        secret: platform.webhookSecret,
        headers: webhook?.arrivals[0]?.headers,
        body: webhook?.body,
      },
      client: { baseUrl: stage.service.address, agentKey: agent.key },
    }
    const program = `
      const input = ${JSON.stringify(input)}
      const printed = async ({ createClient, verifyWebhook }) => {
        const { event, data } = await verifyWebhook(input.webhook)
        const { handle } = await createClient(input.client).getCurrentAgent()
        const bad = await verifyWebhook({ ...input.webhook, body: input.webhook.body + ' ' }).catch(error => error)
        console.log(event, data.agent_id, handle, bad.name, bad.reason)
      }`
    const wanted = `agent.status.changed ${agent.id} ${agent.handle} WebhookVerificationError signature_mismatch\n`
    expect(await printedBy('use.mjs', `${program}\nprinted(await import('@batua/sdk'))`)).toBe(wanted)
    expect(await printedBy('use.cjs', `${program}\nprinted(require('@batua/sdk'))`)).toBe(wanted)
  })
})

describe('the types of the package', () => {
  const USE = `
import { createClient, items, outcome, payingFetch, type WebhookEvent } from '@batua/sdk'

const client = createClient({ baseUrl: 'http://localhost:8080', agentKey: 'agk_live_…' })
export const paying: typeof fetch = payingFetch(fetch, { client, maxAmount: '5.00' })

export async function left(agent_id: string): Promise<number> {
  const paid = await outcome(client.pay({ agent_id, to: 'seller', amount: 12.5 }))
  if (!paid.ok) return paid.error.code === 'insufficient_balance' ? paid.error.details.balance : 0
  for await (const { amount } of items(client.listTransactions, { agent_id })) console.log(amount.toFixed(2))
  return paid.value.from_balance
}

export function creditedBy(event: WebhookEvent): number | null {
  return event.event === 'agent.funded' ? event.data.net_amount : null
}

// @ts-expect-error An amount is a number.
void client.pay({ agent_id: 'agt_', to: 'seller', amount: [] })
`
  const useAll = (wanted: (specifier: string) => boolean) =>
    specifiers
      .filter(({ specifier }) => wanted(specifier))
      .map(({ specifier }, index) => `import * as module${index} from '${specifier}'\nvoid module${index}\n`)
      .join('')

  async function compiles(
    name: string,
    files: Readonly<Record<string, string>>,
    options: object,
  ): Promise<void> {
    const project = join(home, name)
    mkdirSync(project)
    for (const [path, text] of Object.entries(files)) writeFileSync(join(project, path), text)
    const compilerOptions = { strict: true, skipLibCheck: false, noEmit: true, target: 'es2022', ...options }
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
    const tsc = join(dirname(fileURLToPath(import.meta.resolve('typescript/package.json'))), 'bin', 'tsc')
    const { stdout } = await run(process.execPath, [tsc, '-p', project]).catch(
      (error: { stdout: string }) => error,
    )
    expect(stdout).toBe('')
  }

  test('compile with Node’s resolution, in ES modules and CommonJS, with library checks', async () => {
    const text = useAll(() => true) + USE
    const node = { types: ['node'], typeRoots: [join(ROOT, 'node_modules', '@types')] }
    const files = { 'use.mts': text, 'use.cts': text }
    await compiles('node', files, { module: 'nodenext', lib: ['es2022'], ...node })
  })

  test('compile for a bundler with browser types and without Node’s', async () => {
    const text = useAll(specifier => !specifier.endsWith('/node')) + USE
    const lib = ['es2022', 'dom']
    await compiles(
      'browser',
      { 'use.ts': text },
      { module: 'esnext', moduleResolution: 'bundler', lib, types: [] },
    )
  })
})

describe('the README of the package', () => {
  const page = readFileSync(join(SDK, 'README.md'), 'utf8')

  /** Runs a program until it is stopped, and returns its output so far. */
  function start(name: string, more: Readonly<Record<string, string>>) {
    const child = spawn(process.execPath, [name], { cwd: home, env: { ...env, ...more } })
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', text => (printed += text))
    return { printed: () => printed, end: () => child.kill() }
  }

  test('has programs that work unchanged', async () => {
    const { agent: seller, platform, happen, setUrl } = listener
    const buyer = await stage.network.fundedAgent(seller.owner)
    const [receiverPort, sellerPort] = [await freePort(), await freePort()]
    const keys = { BUYER_KEY: buyer.key, SELLER_KEY: seller.key, SELLER: seller.handle }
    const programs = new Map(programsIn(page))
    for (const [name, text] of programs) {
      const placed = text
        .replaceAll('http://localhost:8080', stage.service.address)
        .replaceAll('9000', String(receiverPort))
        .replaceAll('9001', String(sellerPort))
      writeFileSync(join(home, name), placed)
    }
    expect([...programs.keys()]).toEqual(['client.mjs', 'weather.mjs', 'buyer.mjs', 'receiver.mjs'])

    const isOpen = (port: number) =>
      fetch(`http://127.0.0.1:${port}`).then(
        () => true,
        () => false,
      )
    const weather = start('weather.mjs', keys)
    const receiver = start('receiver.mjs', { WEBHOOK_SECRET: platform.webhookSecret })
    try {
      await until(async () => (await isOpen(sellerPort)) && (await isOpen(receiverPort)))
      const again = async (name: string) =>
        (await run(process.execPath, [name], { cwd: home, env: { ...env, ...keys } })).stdout
      expect(await again('client.mjs')).toMatch(/^completed pay_\w+\npay_out 12.5\nfund 1000\n$/)
      expect(await again('buyer.mjs')).toBe(`200 31 °C, paid by ${buyer.id} 2.50\n`)
      await setUrl(`http://127.0.0.1:${receiverPort}/`)
      await happen()
      await until(() => receiver.printed().includes('agent.status.changed evt_'))
      expect(receiver.printed()).toContain('missing_header')
    } finally {
      weather.end()
      receiver.end()
    }
  })
})
