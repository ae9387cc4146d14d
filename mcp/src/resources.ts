import type { Client } from '@batua/sdk'
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
} from '@modelcontextprotocol/server'
import { CARD, cardContents } from './card.ts'
import { pointersTo, WRITTEN_IN_RECEIPTS, WRITTEN_IN_STATEMENTS } from './untrusted.ts'
import type { Wallet } from './wallet.ts'

const JSON_TYPE = 'application/json'
const RECEIPTS = 'batua://receipts/'
const STATEMENT_LINES = 100

/** What a person may attach to a conversation. */
export const RESOURCES: ListResourcesResult['resources'] = [
  {
    uri: 'batua://policy',
    name: 'policy',
    title: 'Limits',
    description: 'Every limit of every layer, with what is left of it.',
    mimeType: JSON_TYPE,
  },
  {
    uri: 'batua://statement',
    name: 'statement',
    title: 'Statement',
    description: `The latest ${STATEMENT_LINES} transactions of the wallet.`,
    mimeType: JSON_TYPE,
  },
  { ...CARD, title: 'Wallet card', description: 'Shows the wallet, a payment or an approval.' },
]

export const RESOURCE_TEMPLATES: ListResourceTemplatesResult['resourceTemplates'] = [
  {
    uriTemplate: `${RECEIPTS}{receipt_id}`,
    name: 'receipt',
    title: 'Receipt',
    description: 'The signed receipt of a payment, by its id or that of the payment.',
    mimeType: JSON_TYPE,
  },
]

/** The listed address of a resource with data, or its template; null: there is none. */
export function knownAddress(uri: string): string | null {
  if (uri.startsWith(RECEIPTS)) return RESOURCE_TEMPLATES[0]?.uriTemplate ?? null
  return uri !== CARD.uri && RESOURCES.some(each => each.uri === uri) ? uri : null
}

/** The contents of a resource; null: there is none. */
export async function readResource(wallet: Wallet, uri: string): Promise<ReadResourceResult | null> {
  if (uri === CARD.uri) return { contents: [cardContents()] }
  const read = await readData(wallet, uri)
  if (read === null) return null
  const { data, writtenByOthers } = read
  const text = JSON.stringify({ ...data, untrusted: pointersTo(writtenByOthers, data) })
  return { contents: [{ uri, mimeType: JSON_TYPE, text }] }
}

interface Data {
  readonly data: object
  readonly writtenByOthers: readonly string[]
}

async function readData({ client, agentId }: Wallet, uri: string): Promise<Data | null> {
  switch (uri) {
    case 'batua://policy':
      return { data: await client.getAgentPolicy({ agent_id: await agentId() }), writtenByOthers: [] }
    case 'batua://statement':
      return {
        data: await client.listTransactions({ agent_id: await agentId(), limit: STATEMENT_LINES }),
        writtenByOthers: WRITTEN_IN_STATEMENTS,
      }
    default:
      return uri.startsWith(RECEIPTS) ? readReceipt(client, uri.slice(RECEIPTS.length)) : null
  }
}

async function readReceipt(client: Client, receipt_id: string): Promise<Data | null> {
  if (!/^(?:rcp|pay)_\w+$/.test(receipt_id)) return null
  const data = await client.getReceipt({ receipt_id })
  return { data, writtenByOthers: WRITTEN_IN_RECEIPTS }
}
