import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { routes } from '@batua/contract'
import { createClient } from '@batua/sdk'
import { requirePayment } from '@batua/sdk/node'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createProgram } from '../cli/src/program.ts'
import { buildCli, type Cli, openCli } from './src/cli.ts'
import type { Ended } from './src/commands.ts'
import { freePort } from './src/free-port.ts'
import { openLocalServers } from './src/local-servers.ts'
import type { Agent, Owner } from './src/network.ts'
import { openPayingStage, type PayingStage } from './src/paying-stage.ts'

/** How a person or a program runs a command: each time a process of its own. */
const WAYS = ['in a pipe', 'on a terminal'] as const
type Way = (typeof WAYS)[number]

/** Above the first an owner must approve; above the second nothing is paid. */
const POLICY = { require_human_approval_above: 100, spend_limit_per_tx: 500 }

let stage: PayingStage
let shop: string
const servers = openLocalServers()
const clis: Cli[] = []

beforeAll(async () => {
  ;[stage] = await Promise.all([openPayingStage(), buildCli()])
  const client = createClient({ baseUrl: stage.service.address, agentKey: stage.payee.key })
  const selling = { client, payTo: stage.payee.handle, amount: '1.00' }
  shop = await servers.serve(requirePayment(selling, (_request, response) => response.end('{"sky":"clear"}')))
})
afterAll(async () => {
  for (const cli of clis) cli.remove()
  servers.close()
  await stage?.close()
})

interface World {
  readonly cli: Cli
  readonly owner: Owner
  readonly payer: Agent
  /** Runs a command to its end; `input` is piped, or typed when the command asks. */
  run(args: readonly string[], input?: string, env?: Readonly<Record<string, string>>): Promise<Ended>
}

async function openWorld(way: Way): Promise<World> {
  const { network, platform } = stage
  const owner = await network.owner(platform)
  await network.verify(owner)
  const payer = await network.fundedAgent(owner, POLICY)
  const cli = openCli()
  clis.push(cli)
  const run: World['run'] = (args, input, env = {}) => {
    if (way === 'in a pipe') return cli.spawned(args, { env, ...(input === undefined ? {} : { input }) })
    return cli.onTerminal(args, { env, ...(input === undefined ? {} : { typed: `${input}\r` }) })
  }
  return { cli, owner, payer, run }
}

describe.each(WAYS)('%s', way => {
  test('each command has the --json shape of cli-shapes.txt', async () => {
    const world = await openWorld(way)
    const shapes = await shapesOf(world, way)
    const covered = [...shapes.keys()].map(name => name.split(' --')[0] ?? '')
    expect(covered).toEqual(expect.arrayContaining(leavesOf(createProgram(() => async () => undefined, {}))))
    const text = [...shapes].map(([name, shape]) => `# ${name}\n${shape.join('\n')}\n`).join('\n')
    await expect(text).toMatchFileSnapshot('./src/cli-shapes.txt')
  })

  test('each exit code is that of the process', async () => {
    const { cli, payer, run } = await openWorld(way)
    const { service, payee } = stage
    const at = (address: string, key = payer.key) => ({ BATUA_BASE_URL: address, BATUA_AGENT_KEY: key })
    const file = join(cli.folder, '..', '..', 'forged.json')
    writeFileSync(file, '{}')
    const keys = join(cli.folder, '..', '..', 'keys.json')
    writeFileSync(keys, JSON.stringify(await stage.api.ok(routes.getServiceKeys, {})))
    const deaf = await servers.inFrontOf(service.address, response => response.destroy())
    const pay = (amount: string) => ['pay', payee.id, amount, '--json']
    const used = [...pay('1'), '--idempotency-key', 'used']
    const cases: readonly [number, readonly string[], string?][] = [
      [0, used],
      [1, ['verify', file, '--keys', keys, '--json']],
      [2, pay('1.005')],
      [3, pay('501')],
      [4, pay('101')],
      [5, pay('99.99')],
      [6, ['agents', '--json']],
      [7, ['pay', '@nobody-at-all', '1', '--json']],
      [8, used.toSpliced(2, 1, '2')],
      [9, pay('1'), `http://127.0.0.1:${await freePort()}`],
      [10, pay('1'), deaf],
    ]
    for (const [code, args, address = service.address] of cases) {
      const poor = code === 5 ? await stage.network.agent(stage.owner) : payer
      const ended = await run(args, undefined, at(address, poor.key))
      expect([args.join(' '), ended.code], ended.stdout + ended.stderr).toEqual([args.join(' '), code])
      const body = jsonIn(ended)
      if (code > 1 && code !== 4) expect(body).toMatchObject({ error: { code: expect.any(String) } })
    }
  })
})

/** The commands that do something themselves, such as `approvals reject`. */
function leavesOf(command: Command, before = ''): string[] {
  return command.commands.flatMap(each => {
    const path = `${before} ${each.name()}`.trim()
    return each.commands.length === 0 ? [path] : leavesOf(each, path)
  })
}

/** The shape of what each command prints with `--json`; some commands have more than one. */
async function shapesOf(world: World, way: Way): Promise<Map<string, string[]>> {
  const { cli, owner, payer, run } = world
  const { service, platform, payee, api, network } = stage
  const shapes = new Map<string, string[]>()
  const note = (name: string, ended: Ended, code = 0) => {
    expect([name, ended.code], ended.stdout + ended.stderr).toEqual([name, code])
    const body = jsonIn(ended)
    shapes.set(name, shapeOf(body))
    return body as Record<string, string>
  }
  const shape = async (name: string, args: readonly string[], input?: string, code?: number) =>
    note(name, await run([...args, '--json'], input), code)
  /** A command that waits for what happens after it began. */
  const watched = async (name: string, args: readonly string[], begins: string, happens: () => unknown) => {
    const start = way === 'in a pipe' ? cli.startSpawned : cli.startOnTerminal
    const running = start([...args, '--json'])
    await running.until(({ stdout, stderr }) => (stdout() + stderr()).includes(begins))
    await happens()
    note(name, await running.ended)
  }

  const login = ['login', '--url', service.address]
  await shape('login --agent-key-stdin', [...login, '--agent-key-stdin'], payer.key)
  await shape('login --platform', [...login, '--platform', platform.id, '--secret-stdin'], platform.secret)
  const asOwner = ['--profile', 'owner']
  // On a terminal it asks for the code at once.
  note('login --phone', await cli.spawned([...login, ...asOwner, '--phone', owner.phone, '--json']))
  const { code } = await api.ok(routes.getSandboxOtp, { params: { phone: owner.phone } })
  await shape('login --code-stdin', [...login, ...asOwner, '--phone', owner.phone, '--code-stdin'], code)
  await shape('whoami', ['whoami'])
  await shape('doctor', ['doctor'])
  await shape('open', ['open', '--print'])
  await shape('agents', ['agents', '--handle', payer.handle])

  const paid = await shape('pay', ['pay', payee.handle, '1', '--reference', 'r-1', '--purpose', 'Shoes'])
  await shape('pay --dry-run', ['pay', payee.handle, '1', '--dry-run'])
  await shape('pay --dry-run --above-a-limit', ['pay', payee.handle, '501', '--dry-run'], undefined, 3)
  const { approval_id: first = '' } = await shape(
    'pay --that-waits',
    ['pay', payee.handle, '101'],
    undefined,
    4,
  )
  await shape('pay --above-a-limit', ['pay', payee.handle, '501'], undefined, 3)
  await shape('fetch', ['fetch', `${shop}/sky`])
  await shape('fetch --no-pay', ['fetch', `${shop}/sky`, '--no-pay'], undefined, 3)
  await shape('fund', ['fund', '100'])
  await shape('fund --outcome', ['fund', '100', '--outcome', 'success'])
  await shape('approvals list', ['approvals', 'list', ...asOwner])
  await watched(
    'approvals watch',
    ['approvals', 'watch', '--count', '1', ...asOwner],
    'Waiting',
    () => undefined,
  )
  await shape('approvals approve', ['approvals', 'approve', first, ...asOwner])
  const { approval_id: second = '' } = await network.pay(payer, payee, 102)
  await shape('approvals reject', ['approvals', 'reject', second, '--reason', 'Too much', ...asOwner])
  await shape('statement', ['statement', '--agent', payer.handle])

  const receipt = await api.ok(routes.getReceipt, {
    params: { receipt_id: paid['receipt_id'] ?? '' },
    headers: payer.headers,
  })
  const file = join(cli.folder, 'receipt')
  writeFileSync(file, JSON.stringify(receipt))
  await shape('verify', ['verify', file])
  writeFileSync(file, JSON.stringify({ ...receipt, amount: 400 }))
  await shape('verify --forged', ['verify', file], undefined, 1)

  await watched('listen', ['listen', '--events', 'agent.payment.sent', '--count', '1'], 'Listening', () =>
    network.pay(payer, payee, 1),
  )
  await shape('trigger', ['trigger', 'agent.payment.sent'])
  await shape('clock', ['clock', '--advance', '0'])
  await shape('logs', ['logs', '--limit', '1'])
  await shape('completion', ['completion', 'bash'])
  // A client and not a person talks to it, through pipes.
  const hello = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  }
  const line = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello })
  note('mcp', await cli.spawned(['mcp'], { input: `${line}\n` }))
  await shape('logout', ['logout'])
  return shapes
}

/** The JSON that was printed. On a terminal, what is said beside it is in the same output. */
function jsonIn({ stdout }: Ended): unknown {
  return JSON.parse(stdout.slice(stdout.indexOf('{'), stdout.lastIndexOf('}') + 1))
}

/** The path and the types of each value, a line each. Elements of a list have one path. */
function shapeOf(value: unknown): string[] {
  const types = new Map<string, Set<string>>()
  const add = (path: string, type: string) => types.set(path, (types.get(path) ?? new Set()).add(type))
  const look = (inner: unknown, path: string) => {
    if (Array.isArray(inner)) {
      add(path, 'list')
      for (const element of inner) look(element, `${path}[]`)
    } else if (typeof inner === 'object' && inner !== null) {
      for (const [name, each] of Object.entries(inner)) look(each, path === '' ? name : `${path}.${name}`)
    } else add(path, inner === null ? 'null' : typeof inner)
  }
  look(value, '')
  return [...types].map(([path, of]) => `${path}: ${[...of].toSorted().join(' | ')}`).toSorted()
}
