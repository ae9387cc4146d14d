import { createWalletServer, type Wallet } from '@batua/mcp'
import {
  type CallToolResult,
  Client,
  InMemoryTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { BATUA } from './cli.ts'

/** The two generations of the protocol: with a handshake, and with everything in each request. */
export const ERAS = ['legacy', 'auto'] as const
export type Era = (typeof ERAS)[number]

/** The result of a tool as a model reads it. */
export interface ToolResponse {
  readonly isError: boolean
  readonly [field: string]: unknown
}

/** The official client of one agent, and its calls. */
export interface McpClient {
  readonly client: Client
  /** The structure of a result, which must also be its text, and fit the schema that the tool lists. */
  call(tool: string, input?: Record<string, unknown>): Promise<ToolResponse>
  /** The result as it came. */
  raw(tool: string, input?: Record<string, unknown>): Promise<CallToolResult>
  close(): Promise<void>
}

/** Connects over HTTP. */
export async function connectMcp(address: string, key: string, era: Era = 'auto'): Promise<McpClient> {
  const client = newClient(era)
  const headers = { authorization: `Bearer ${key}` }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit: { headers } }),
    { timeout: PATIENCE_MS },
  )
  return clientOf(client)
}

/** Connects to `batua mcp` in a process of its own, which ends with the client. `buildCli` has to have built it. */
export async function connectStdio(address: string, key: string, era: Era = 'auto'): Promise<McpClient> {
  const client = newClient(era)
  const env = { BATUA_BASE_URL: address, BATUA_AGENT_KEY: key }
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [BATUA, 'mcp'], env }))
  return clientOf(client)
}

/** Connects to a wallet in this process. */
export async function connectWallet(wallet: Wallet): Promise<McpClient> {
  const onFault = (error: unknown) => {
    throw error
  }
  const server = createWalletServer({ wallet, name: 'batua', version: '1.0.0', onFault })
  const [here, there] = InMemoryTransport.createLinkedPair()
  await server.connect(there)
  const client = newClient('legacy')
  await client.connect(here)
  return clientOf(client)
}

/** A machine that runs many tests at once is slower than the client’s own limit of a minute. */
const PATIENCE_MS = 300_000

function newClient(era: Era): Client {
  return new Client({ name: 'tests', version: '1.0.0' }, { versionNegotiation: { mode: era } })
}

function clientOf(client: Client): McpClient {
  const raw = (name: string, input: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: input }, { timeout: PATIENCE_MS })
  let checks: Promise<Map<string, ValidateFunction>> | null = null
  return {
    client,
    raw,
    async call(tool, input) {
      const { isError = false, content, structuredContent } = await raw(tool, input)
      const [first] = content
      const text: unknown = first?.type === 'text' ? JSON.parse(first.text) : undefined
      if (JSON.stringify(text) !== JSON.stringify(structuredContent))
        throw new Error(`the text of ${tool} differs from its structure`)
      // The official inspector checks refusals too.
      checks ??= schemasOf(client)
      const check = (await checks).get(tool)
      if (check?.(structuredContent) !== true)
        throw new Error(`a result of ${tool} does not fit its schema: ${JSON.stringify(check?.errors)}`)
      return { ...(text as object), isError }
    },
    close: () => client.close(),
  }
}

/** The schema of each tool's results, as the server lists it. */
async function schemasOf(client: Client): Promise<Map<string, ValidateFunction>> {
  const ajv = new Ajv2020({ validateFormats: false })
  const { tools } = await client.listTools(undefined, { timeout: PATIENCE_MS })
  return new Map(tools.map(({ name, outputSchema }) => [name, ajv.compile(Object(outputSchema))]))
}
