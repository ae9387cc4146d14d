import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { BATUA } from './cli.ts'

/** A result as it came. */
export interface RawResult {
  readonly content: readonly { readonly text: string }[]
  readonly structuredContent: object
}

/** Calls tools with arguments as they are written. The official client would not send some of them. */
export interface RawMcp {
  call(tool: string, args: string): Promise<RawResult>
  close(): Promise<void>
}

interface Message {
  readonly id?: number
  readonly result?: RawResult
}

export function rawHttp(address: string, key: string): RawMcp {
  return {
    async call(tool, args) {
      const response = await fetch(`${address}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
        },
        body: callOf(1, tool, args),
      })
      const text = await response.text()
      if (response.status !== 200) throw new Error(`${args}: ${response.status} ${text}`)
      return resultOf(JSON.parse(text.replace(/^event: message\ndata: /, '')), args)
    },
    close: async () => undefined,
  }
}

/** Writes lines to `batua mcp`, and reads its lines: each has to be a message. `buildCli` has to have built it. */
export async function rawStdio(address: string, key: string): Promise<RawMcp> {
  const env = { ...process.env, BATUA_BASE_URL: address, BATUA_AGENT_KEY: key }
  const child = spawn(process.execPath, [BATUA, 'mcp'], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const waiting = new Map<number, (message: Message) => void>()
  createInterface({ input: child.stdout }).on('line', line => {
    const message = JSON.parse(line) as Message
    waiting.get(message.id ?? NaN)?.(message)
  })
  let last = 0
  const ask = (message: (id: number) => string): Promise<Message> => {
    const id = ++last
    const response = new Promise<Message>((resolve, reject) => {
      waiting.set(id, resolve)
      void ended.then(() => reject(new Error(`batua mcp ended before its response to ${message(id)}`)))
    })
    child.stdin.write(`${message(id)}\n`)
    return response.finally(() => waiting.delete(id))
  }
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1.0.0' },
  }
  await ask(id => JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params }))
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  return {
    call: async (tool, args) => resultOf(await ask(id => callOf(id, tool, args)), args),
    async close() {
      child.stdin.end()
      await ended
    },
  }
}

function callOf(id: number, tool: string, args: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${tool}","arguments":${args}}}`
}

function resultOf(message: Message, args: string): RawResult {
  if (message.result === undefined) throw new Error(`${args}: ${JSON.stringify(message)}`)
  return message.result
}
