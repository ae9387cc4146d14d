import { AppError } from '../../../kernel/app-error.ts'

/** How many streams may be open at once on this node; 0 is no limit. */
export interface StreamLimits {
  /** From one network of clients. */
  readonly perNetwork: number
  readonly perNode: number
}

/** Counts the streams that are open on this node, so that no client takes the memory and the connections of all. */
export interface OpenStreams {
  /**
   * Takes a place for one more stream of a credential. Returns what gives the place back. Throws `rate_limit_exceeded`
   * when the credential or the network has too many, and `service_unavailable` when the node has.
   */
  take(credential: string, network: string): () => void
}

const PER_CREDENTIAL = 32
const RETRY = { headers: { 'retry-after': '1' } }

export function countOpenStreams({ perNetwork, perNode }: StreamLimits): OpenStreams {
  const counts = new Map<string, number>()
  let all = 0

  const isFull = (key: string, most: number) => most > 0 && (counts.get(key) ?? 0) >= most
  function add(key: string, one: 1 | -1): void {
    const count = (counts.get(key) ?? 0) + one
    if (count === 0) counts.delete(key)
    else counts.set(key, count)
  }

  return {
    take(credential, network) {
      const keys = [`credential ${credential}`, `network ${network}`] as const
      if (isFull(keys[0], PER_CREDENTIAL))
        throw tooMany(`A credential may have ${PER_CREDENTIAL} streams open; close one first`)
      if (isFull(keys[1], perNetwork))
        throw tooMany(`One network may have ${perNetwork} streams open; close one first`)
      if (perNode > 0 && all >= perNode)
        throw new AppError('service_unavailable', 'Too many streams are open; try again later', RETRY)
      all++
      for (const key of keys) add(key, 1)
      return () => {
        all--
        for (const key of keys) add(key, -1)
      }
    },
  }
}

function tooMany(message: string): AppError {
  return new AppError('rate_limit_exceeded', message, RETRY)
}
