import { type ClientConfig, Pool, type PoolClient } from 'pg'
import { openFairShare, PATIENCE } from './fair-share.ts'
import type { Hosts } from './hosts.ts'
import { type Purpose, SERVICE_PARTY } from './work-origin.ts'

/** The connections of one purpose. After `enter` a caller gets a connection without waiting. */
export interface FairPool {
  enter(party: string): Promise<void>
  leave(party: string): void
  connect(): Promise<PoolClient>
}

export interface FairPools {
  of(purpose: Purpose): FairPool
  readonly lookUps: FairPool
  /** For the readiness probe, whatever the load. */
  readonly probe: FairPool
  close(): Promise<void>
}

export interface FairPoolsOptions {
  readonly hosts: Hosts
  readonly sharedConnections: number
  /** How many shared connections the service's own work may not use. */
  readonly keptForCallers: number
  readonly onError: (error: Error) => void
}

/** What one process of the service may open, its thread for webhooks included; docs/operations.md names it. */
export const CONNECTIONS_OF_A_PROCESS = 29

/** How many connections the database allows roles that are no superusers, in SQL. */
export const ALLOWED_CONNECTIONS = `current_setting('max_connections')::int
  - current_setting('superuser_reserved_connections')::int`

const IDLE_TIMEOUT_MS = 30_000

/**
 * One pool that callers share, and small dedicated ones: for look-ups by key, for administrators, for stopping agents and
 * credentials, and for the readiness probe. They connect on use and close idle connections.
 */
export function openFairPools(
  config: ClientConfig,
  { hosts, sharedConnections, keptForCallers, onError }: FairPoolsOptions,
): FairPools {
  const pools: Pool[] = []
  const open = (max: number, mostOf: (party: string) => number): FairPool => {
    const pool = new Pool({ ...config, Client: hosts.Client, max, idleTimeoutMillis: IDLE_TIMEOUT_MS })
    pool.on('error', onError)
    // A client that breaks while in use emits an error, which would end the process without a listener. Its queries fail
    // with the same error, so it is safe to ignore here.
    pool.on('connect', client => client.on('error', ignore))
    pools.push(pool)
    const share = openFairShare({ ...PATIENCE, places: max, mostOf, shared: 'connection' })
    return { enter: share.enter, leave: share.leave, connect: () => hosts.connected(() => pool.connect()) }
  }
  // Three callers at their maximum leave a connection for a fourth.
  const most = Math.max(1, Math.floor((sharedConnections * 3) / 10))
  const mostOfService = Math.max(1, sharedConnections - keptForCallers)
  const shared = open(sharedConnections, party => (party === SERVICE_PARTY ? mostOfService : most))
  const byPurpose: Record<Purpose, FairPool> = {
    shared,
    administration: open(3, () => 2),
    stop: open(3, () => 1),
  }
  const lookUps = open(4, () => 4)
  const probe = open(1, () => 1)
  return {
    of: purpose => byPurpose[purpose],
    lookUps,
    probe,
    close: async () => {
      await Promise.all(pools.map(pool => pool.end()))
    },
  }
}

function ignore(): void {}
