import type { McpOptions, McpServer } from './mcp-server.ts'
import type { Server } from './server.ts'

export interface Mcp {
  /** Aborts what is in progress. */
  close(): Promise<void>
}

/** Serves the wallet of an agent to MCP clients at `/mcp` (Streamable HTTP, without sessions). */
export function addMcp(server: Server, options: McpOptions): Mcp {
  let opened: Promise<McpServer> | undefined
  async function open(): Promise<McpServer> {
    // Loaded at the first request: most starts need none of the libraries.
    const { openMcpServer } = await import('./mcp-server.ts')
    return openMcpServer(server.fastify, options)
  }
  server.fastify.post('/mcp', { onRequest: server.admitBearer }, async (request, reply) => {
    const { respond } = await (opened ??= open())
    return reply.send(await respond(request, reply))
  })
  return {
    async close() {
      const mcp = await opened
      await mcp?.close()
    },
  }
}
