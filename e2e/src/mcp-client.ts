import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** The two generations of the protocol: with a handshake, and with everything in each request. */
export const ERAS = ['legacy', 'auto'] as const
export type Era = (typeof ERAS)[number]

/** The result of a tool as a model reads it. */
export interface ToolAnswer {
  readonly isError: boolean
  readonly [field: string]: unknown
}

/** The official client of one agent, and its calls. */
export interface McpClient {
  readonly client: Client
  /** The structure of a result, which must also be its text. */
  call(tool: string, input?: Record<string, unknown>): Promise<ToolAnswer>
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
  )
  return clientOf(client)
}

export function newClient(era: Era): Client {
  return new Client({ name: 'tests', version: '1.0.0' }, { versionNegotiation: { mode: era } })
}

export function clientOf(client: Client): McpClient {
  const raw = (name: string, input: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: input })
  return {
    client,
    raw,
    async call(tool, input) {
      const { isError = false, content, structuredContent } = await raw(tool, input)
      const [first] = content
      const text: unknown = first?.type === 'text' ? JSON.parse(first.text) : undefined
      if (JSON.stringify(text) !== JSON.stringify(structuredContent))
        throw new Error(`the text of ${tool} differs from its structure`)
      return { ...(text as object), isError }
    },
    close: () => client.close(),
  }
}
