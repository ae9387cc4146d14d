// Mastra: npm install @mastra/core @mastra/mcp
import { Agent } from '@mastra/core/agent'
import { MCPClient } from '@mastra/mcp'

/** Lets a model, such as `'openai/gpt-5'` or one of the AI SDK, do a task with the tools of Batua. */
export async function runAgent(model, prompt) {
  const { BATUA_BASE_URL, BATUA_AGENT_KEY } = process.env
  const headers = { Authorization: `Bearer ${BATUA_AGENT_KEY}` }
  const batua = { url: new URL(`${BATUA_BASE_URL}/mcp`), requestInit: { headers } }
  const client = new MCPClient({ servers: { batua } })
  try {
    const tools = await client.listTools()
    const agent = new Agent({ id: 'buyer', name: 'buyer', instructions: 'You buy things.', model, tools })
    const { text } = await agent.generate(prompt, { maxSteps: 10 })
    return text
  } finally {
    await client.disconnect()
  }
}
