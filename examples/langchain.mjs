// LangChain: npm install langchain @langchain/core @langchain/mcp-adapters
import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import { createAgent } from 'langchain'

/** Lets a model, such as `new ChatOpenAI({ model: 'gpt-5' })` of `@langchain/openai`, do a task with Batua's tools. */
export async function runAgent(model, prompt) {
  const { BATUA_BASE_URL, BATUA_AGENT_KEY } = process.env
  const headers = { Authorization: `Bearer ${BATUA_AGENT_KEY}` }
  const batua = { transport: 'http', url: `${BATUA_BASE_URL}/mcp`, headers }
  const client = new MultiServerMCPClient({ mcpServers: { batua } })
  try {
    const agent = createAgent({ model, tools: await client.getTools() })
    const { messages } = await agent.invoke({ messages: [{ role: 'user', content: prompt }] })
    return messages.at(-1).text
  } finally {
    await client.close()
  }
}
