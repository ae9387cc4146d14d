import { Client, type ClientConfig } from 'pg'
import { DatabaseUnavailable, databaseUnavailable } from './errors.ts'

const SCHEMES = ['postgres:', 'postgresql:']
const AUTHORITY = /^([a-z]+:\/\/)([^/?#]*@)?([^/?#]*)(.*)$/s
/** The values of `target_session_attrs` that ask for a server that accepts writes. */
const WRITABLE = new Set(['read-write', 'primary'])

/**
 * The addresses of a database, one for each of its hosts (`postgres://user@one:5432,two:5432/batua`), as libpq reads
 * them. Null: it is no address of PostgreSQL, or it asks for a standby.
 */
export function addressesOf(databaseUrl: string): readonly string[] | null {
  const [, scheme = '', user = '', hosts = '', rest = ''] = AUTHORITY.exec(databaseUrl) ?? []
  const addresses: string[] = []
  for (const host of hosts.split(',')) {
    const address = URL.parse(`${scheme}${user}${host}${rest}`)
    if (address === null || !SCHEMES.includes(address.protocol)) return null
    const wanted = address.searchParams.get('target_session_attrs')
    if (wanted !== null && !WRITABLE.has(wanted)) return null
    address.searchParams.delete('target_session_attrs')
    addresses.push(address.href)
  }
  return addresses
}

/** The hosts of a database, of which one is the primary: the writable one on the highest timeline. */
export interface Hosts {
  /** A client of the primary as it was found last, with the settings that it was opened with. */
  readonly Client: new (
    config?: ClientConfig,
  ) => Client
  /**
   * Connects by `connect`. If that fails, and if no primary is known yet, finds the primary first. With one host it only
   * connects.
   */
  connected<T>(connect: () => Promise<T>): Promise<T>
  close(): void
}

export interface HostsOptions {
  /** Called when the primary changes. */
  readonly onChange?: (host: string) => void
}

const PROBE_TIMEOUT_MS = 2_000
const WATCH_EVERY_MS = 2_000
/** So many probes of the primary in a row fail before its connections are closed. */
const MOST_FAILED_PROBES = 3

/** A promotion begins a new timeline. A former primary that still accepts writes is on an older one. */
const PROBE = `
  select case when pg_is_in_recovery() then null
    else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int8 end as timeline`

export function openHosts(databaseUrl: string, { onChange }: HostsOptions = {}): Hosts {
  const addresses = addressesOf(databaseUrl)
  if (addresses === null) throw new Error('The address of the database is none of PostgreSQL')
  const [only = '', ...others] = addresses
  return others.length === 0 ? oneHost(only) : severalHosts(openSearch(addresses, onChange))
}

function oneHost(connectionString: string): Hosts {
  return {
    Client: class extends Client {
      constructor(config: ClientConfig = {}) {
        super({ ...config, connectionString })
      }
    },
    connected: connect => connect().catch(unavailable),
    close() {},
  }
}

function severalHosts(search: Search): Hosts {
  const watch = setInterval(() => void search.find().catch(() => {}), WATCH_EVERY_MS).unref()
  return {
    Client: class extends Client {
      constructor(config: ClientConfig = {}) {
        const connectionString = search.primary()
        super({ ...config, connectionString })
        search.clients.set(this, connectionString)
        this.once('end', () => search.clients.delete(this))
      }
    },
    async connected(connect) {
      if (!search.isFound()) await search.find()
      try {
        return await connect()
      } catch {
        await search.find()
      }
      return connect().catch(unavailable)
    },
    close: () => clearInterval(watch),
  }
}

function unavailable(error: unknown): never {
  throw databaseUnavailable(error)
}

/** The search for the primary. Each time it is found elsewhere, the connections to the other hosts are closed. */
interface Search {
  /** The open clients, with the address of the host of each. */
  readonly clients: Map<Client, string>
  primary(): string
  isFound(): boolean
  /** Calls that are made while it searches share the search. Fails if no host accepts writes. */
  find(): Promise<void>
}

function openSearch(addresses: readonly string[], onChange: HostsOptions['onChange']): Search {
  const clients = new Map<Client, string>()
  let [primary = ''] = addresses
  /** That of the primary. A host on an earlier one is a former primary. */
  let timeline = 0n
  let failedProbes = 0
  let searching: Promise<void> | null = null

  /** Statements of the closed connections fail as if the host had died. */
  function closeConnections(isClosed: (address: string) => boolean): void {
    for (const [client, address] of clients) if (isClosed(address)) client.connection.stream.destroy()
  }

  async function search(): Promise<void> {
    const probed = await Promise.all(addresses.map(probe))
    const [best] = probed.filter(isPrimary).toSorted(better)
    failedProbes = probed.some(found => found.address === primary && found.answered) ? 0 : failedProbes + 1
    if (best === undefined) {
      if (failedProbes === MOST_FAILED_PROBES) closeConnections(address => address === primary)
      throw new DatabaseUnavailable('None of the hosts of the database accepts writes')
    }
    const isNew = timeline > 0n && best.address !== primary
    timeline = best.timeline
    primary = best.address
    closeConnections(address => address !== primary)
    if (isNew) onChange?.(new URL(primary).host)
  }

  function isPrimary(found: Probed): found is Primary {
    return found.timeline !== null && found.timeline >= timeline
  }

  /** The latest timeline first; of the same timeline the host that is used. */
  function better(one: Primary, other: Primary): number {
    if (one.timeline !== other.timeline) return one.timeline > other.timeline ? -1 : 1
    return one.address === primary ? -1 : 1
  }

  return {
    clients,
    primary: () => primary,
    isFound: () => timeline > 0n,
    find: () =>
      (searching ??= search().finally(() => {
        searching = null
      })),
  }
}

interface Probed {
  readonly address: string
  readonly answered: boolean
  /** null: it accepts no writes, or did not respond. */
  readonly timeline: bigint | null
}

type Primary = Probed & { readonly timeline: bigint }

async function probe(address: string): Promise<Probed> {
  const client = new Client({
    connectionString: address,
    application_name: 'batua hosts',
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query<{ timeline: string | null }>(PROBE)
    const timeline = rows[0]?.timeline ?? null
    return { address, answered: true, timeline: timeline === null ? null : BigInt(timeline) }
  } catch {
    return { address, answered: false, timeline: null }
  } finally {
    client.connection.stream.destroy()
  }
}
