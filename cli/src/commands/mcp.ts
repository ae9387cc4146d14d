import { open, type Session } from '../session.ts'
import { describe, type Run } from './command.ts'

export function mcpCommand(run: Run, version: string) {
  return describe({
    name: 'mcp',
    summary: 'Serve the agent’s wallet to an assistant, over standard input and output (MCP)',
    description:
      'The assistant starts it, and gets tools that pay from the wallet of the profile’s agent. It ends with its input.',
    examples: ['claude mcp add batua -- batua mcp', 'batua --profile translator mcp'],
  }).action(run(session => serve(session, version)))
}

async function serve(session: Session, version: string): Promise<void> {
  const { client } = await open(session, 'agent')
  // Loaded here, because no other command needs it.
  const { serveWalletOverStdio } = await import('@batua/mcp/stdio')
  await serveWalletOverStdio({
    client,
    version,
    input: session.stdin,
    output: session.stdout,
    signal: session.signal,
    onFault: error => session.out.note(`batua: ${error instanceof Error ? error.message : String(error)}`),
  })
}
