import type { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { openGuardedFetch } from '@batua/outgoing'
import type { Client } from '@batua/sdk'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { createWalletServer } from './server.ts'
import { MAX_PAGE_BYTES } from './tools/paid-url.ts'
import { memoryPins, type Wallet } from './wallet.ts'

export interface StdioOptions {
  /** A client with an agent’s key. A model decides itself whether it waits, so few retries are enough. */
  readonly client: Client
  readonly version: string
  readonly input: Readable
  /** It belongs to the protocol: nothing else may be written to it. */
  readonly output: Writable
  /** Ends it before the input does. */
  readonly signal: AbortSignal
  /** Gets faults of this program. */
  readonly onFault: (error: unknown) => void
}

/**
 * Serves the wallet of the client’s agent to one MCP client until the input ends. A service without https is a sandbox:
 * then pages on this machine can be fetched too, and else only public ones.
 */
export async function serveWalletOverStdio(options: StdioOptions): Promise<void> {
  const { client, version, input, output, signal, onFault } = options
  const isSandbox = client.baseUrl.startsWith('http:')
  const pages = openGuardedFetch({ mode: isSandbox ? 'sandbox' : 'live', maxBodyBytes: MAX_PAGE_BYTES })
  const wallet: Wallet = {
    client,
    fetch: pages.fetch,
    allowHttp: isSandbox,
    pins: memoryPins(),
    voucherSecret: null,
    // The service does not send what this machine sends, so its log has payments alone.
    beforeActing: async () => undefined,
    agentId: rememberedAgent(client),
  }
  const transport = new StdioServerTransport(input, output)
  const serving = serveStdio(() => createWalletServer({ wallet, name: 'batua', version, onFault }), {
    transport,
    onerror: onFault,
  })
  try {
    // It also closes by itself, after a message that is too long.
    await Promise.race([closed(transport), finished(input, { writable: false, signal })])
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    await serving.close()
    await pages.close()
  }
}

function closed(transport: StdioServerTransport): Promise<void> {
  const { onclose } = transport
  return new Promise(resolve => {
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- a transport has no such method
    transport.onclose = () => {
      onclose?.()
      resolve()
    }
  })
}

/** The id of the client’s agent, asked for once. */
function rememberedAgent(client: Client): () => Promise<string> {
  let known: string | null = null
  return async () => (known ??= (await client.getCurrentAgent()).agent_id)
}
