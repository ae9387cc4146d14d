import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { afterEach, expect, test } from 'vitest'

const SCRIPT = fileURLToPath(new URL('listen.ts', import.meta.url))
const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const DATA = { platform_id: 'plt_01kb7q2w5he8tbs2c6k3m9r1vx' }

let child: ChildProcess | null = null

afterEach(() => {
  child?.kill('SIGKILL')
})

interface Listener {
  readonly output: () => string
  readonly errors: () => string
  readonly ended: Promise<number | null>
  /** Its printed address. */
  readonly address: () => Promise<string>
}

function listen(...args: string[]): Listener {
  const started = spawn(process.execPath, [SCRIPT, ...args], { env: { NO_COLOR: '1' } })
  child = started
  let [output, errors] = ['', '']
  started.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  started.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const found = () => /at (http:\S+)\. /.exec(output + errors)?.[1]
  return {
    output: () => output,
    errors: () => errors,
    ended: new Promise(resolve => started.once('close', resolve)),
    async address() {
      await expect.poll(found, { timeout: 10_000, interval: 20 }).toBeDefined()
      return found() ?? ''
    },
  }
}

async function send(address: string, id: string): Promise<number> {
  const now = new Date()
  const body = JSON.stringify({ id, event: 'webhook.test', data: DATA })
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(SECRET).sign(id, now, body),
  }
  const response = await fetch(address, { method: 'POST', body, headers })
  return response.status
}

test('the listener prints a line for each webhook and ends after the requested number', async () => {
  const listener = listen('--secret', SECRET, '--port', '0', '--count', '2')
  const address = await listener.address()
  expect(listener.output()).toContain(`-d '{"webhook_url": "${address}"}'`)
  expect(await send(address, 'evt_1')).toBe(204)
  expect(await send(address, 'evt_1')).toBe(204)
  await fetch(address, { method: 'POST', body: '{"id": "evt_9", "event": "agent.funded\\u001b[2J"}' })
  expect(await send(address, 'evt_2')).toBe(204)
  expect(await listener.ended).toBe(0)
  const lines = listener
    .output()
    .split('\n')
    .filter(line => /^\d\d:\d\d:\d\d /.test(line))
  expect(lines.map(line => line.slice(10).replaceAll(/ {2,}/g, ' | '))).toEqual([
    'webhook.test | evt_1 | verified | plt_…r1vx',
    'webhook.test | evt_1 | verified | plt_…r1vx | again',
    'agent.funded·[2J | evt_9 | NOT VERIFIED: it is not signed at all',
    'webhook.test | evt_2 | verified | plt_…r1vx',
  ])
})

test('with --json only verified bodies are on standard output', async () => {
  const listener = listen('--secret', SECRET, '--port', '0', '--count', '1', '--json', '--status', '503')
  const address = await listener.address()
  await fetch(address, { method: 'POST', body: '{"id": "evt_9"}' })
  expect(await send(address, 'evt_1')).toBe(503)
  expect(await listener.ended).toBe(0)
  expect(JSON.parse(listener.output())).toEqual({ id: 'evt_1', event: 'webhook.test', data: DATA })
  expect(listener.errors()).toContain('NOT VERIFIED')
})

test('Ctrl-C ends the listener at once, also while it delays a response', async () => {
  const listener = listen('--secret', SECRET, '--port', '0', '--delay', '60')
  const address = await listener.address()
  const waiting = send(address, 'evt_1').catch(() => 'cut off')
  await expect.poll(listener.output).toContain('evt_1')
  child?.kill('SIGINT')
  expect(await listener.ended).toBe(0)
  expect(await waiting).toBe('cut off')
})

test('without a secret the listener says how to get one', async () => {
  const listener = listen()
  expect(await listener.ended).toBe(2)
  expect(listener.errors()).toContain('rotate-webhook-secret')
})
