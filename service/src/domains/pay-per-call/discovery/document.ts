import {
  FORMATS,
  MAX_PAY_DOCUMENT_BYTES,
  PAY_DOCUMENT_PATH,
  PAY_PROTOCOLS,
  PayDocument,
} from '@batua/contract'
import { NoResponse, openGuardedFetch, readAtMost } from '@batua/outgoing'
import { Ajv2020 } from 'ajv/dist/2020.js'

const FETCH_TIMEOUT_MS = 5_000
/** An agent that registers an origin makes the service fetch a document. */
const FETCHES_AT_ONCE = 20

/** The result of reading a document. `why` quotes nothing that a stranger wrote. */
export type ReadDocument =
  | { readonly kind: 'read'; readonly document: PayDocument }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'busy' }

/** Reads what sellers publish. */
export interface PayDocuments {
  /** The document at an origin, of which this agent must be the payee. Never throws. */
  read(origin: string, payee: Payee): Promise<ReadDocument>
  close(): Promise<void>
}

export interface Payee {
  /** `agt_…`. */
  readonly agentId: string
  readonly handle: string
}

/** In live mode only from public addresses by https; never over a redirect. */
export function openPayDocuments(mode: 'sandbox' | 'live'): PayDocuments {
  const guarded = openGuardedFetch({ mode, maxBodyBytes: MAX_PAY_DOCUMENT_BYTES })
  let fetching = 0

  async function text(origin: string): Promise<string | null> {
    const response = await guarded.fetch(origin + PAY_DOCUMENT_PATH, {
      headers: { accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
    })
    if (response.status !== 200) {
      await response.body?.cancel()
      throw new Error(`The response has the status ${response.status} and not 200`)
    }
    const { bytes, isWhole } = await readAtMost(response, MAX_PAY_DOCUMENT_BYTES)
    return isWhole ? new TextDecoder('utf-8', { fatal: true }).decode(bytes) : null
  }
  return {
    async read(origin, payee) {
      if (fetching >= FETCHES_AT_ONCE) return { kind: 'busy' }
      fetching += 1
      try {
        const read = await text(origin)
        return read === null ? failed('The document is longer than 64 KiB') : parsePayDocument(read, payee)
      } catch (error) {
        return failed(reasonOf(error))
      } finally {
        fetching -= 1
      }
    },
    close: () => guarded.close(),
  }
}

function failed(why: string): ReadDocument {
  return { kind: 'failed', why }
}

function reasonOf(error: unknown): string {
  if (error instanceof NoResponse) return error.message
  if (error instanceof Error && error.name === 'TimeoutError') return 'There was no response within 5 s'
  return error instanceof Error && error.message.startsWith('The response has the status')
    ? error.message
    : 'The response could not be read'
}

const isPayDocument = new Ajv2020({
  strict: true,
  allowUnionTypes: true,
  formats: FORMATS,
}).compile<PayDocument>(PayDocument)

/** What a document says, without the fields that are not known here. */
export function parsePayDocument(text: string, payee: Payee): ReadDocument {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return failed('The document is not JSON')
  }
  if (!isPayDocument(value)) {
    const [error] = isPayDocument.errors ?? []
    const place = error?.instancePath === '' ? 'It' : error?.instancePath
    return failed(`The document has not the form of one: ${place} ${error?.message ?? 'is wrong'}`)
  }
  const { payTo, name, description, protocols, routes } = value
  if (payTo !== payee.agentId && payTo.replace(/^@/, '').toLowerCase() !== payee.handle)
    return failed('The document names another payee in payTo')
  if (routes.some(({ price }) => price !== undefined && Number(price.from) > Number(price.to)))
    return failed('The document has a price that is from more than it is to')
  const known: readonly string[] = PAY_PROTOCOLS
  return {
    kind: 'read',
    document: {
      ...{ version: 1, payTo, name, protocols: [...new Set(protocols)].filter(each => known.includes(each)) },
      ...(description === undefined ? {} : { description }),
      routes: routes.map(({ method, path, description: what, price, buyers }) => ({
        ...{ method, path },
        ...(what === undefined ? {} : { description: what }),
        ...(price === undefined ? {} : { price: { from: price.from, to: price.to } }),
        ...(buyers === undefined ? {} : { buyers: demandIn(buyers) }),
      })),
    },
  }
}

type Demand = NonNullable<PayDocument['routes'][number]['buyers']>

function demandIn({ tier, kyc }: Demand): Demand {
  return { ...(tier === undefined ? {} : { tier }), ...(kyc === undefined ? {} : { kyc }) }
}

/** The words by which a document is found. */
export function wordsOf({ name, description = '', routes }: PayDocument): string {
  const texts = [name, description, ...routes.flatMap(each => [each.path, each.description ?? ''])]
  // The search would take a path for one word.
  return texts.join(' ').replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
}
