import { serveWalletOverStdio } from '@batua/mcp/stdio'
import { createClient } from '@batua/sdk'

/** A program that serves one wallet over stdio. */
const { BASE_URL: baseUrl = '', AGENT_KEY: agentKey = '' } = process.env

serveWalletOverStdio({
  client: createClient({ baseUrl, agentKey, maxRetries: 0 }),
  version: '1.0.0',
  onFault: error => process.stderr.write(`${String(error)}\n`),
})
