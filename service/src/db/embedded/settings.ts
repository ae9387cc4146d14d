import { CONNECTIONS_OF_A_PROCESS } from '../fair-pools.ts'

export interface ServerOptions {
  /** A server of tests may lose all data in a power cut, and takes more connections. */
  readonly forTests?: boolean
  /** The processes of the service that use it; absent: one. */
  readonly processes?: number
}

/** Connections for commands and for a person who looks into the database. */
const FOR_COMMANDS = 31

/** Settings for many small payments on a small machine; a server of tests may lose all in a power cut, and has many services. */
export function serverSettings(
  socketFolder: string,
  { forTests = false, processes = 1 }: ServerOptions,
): string[] {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: socketFolder,
    port: SOCKET_PORT,
    max_connections: forTests ? 200 : FOR_COMMANDS + processes * CONNECTIONS_OF_A_PROCESS,
    shared_buffers: '256MB',
    effective_cache_size: '1GB',
    work_mem: '8MB',
    maintenance_work_mem: '128MB',
    // Rare, spread checkpoints: after each one, the first change of a page writes the whole page to the log.
    max_wal_size: '4GB',
    checkpoint_timeout: '15min',
    wal_compression: 'on',
    wal_buffers: '16MB',
    fsync: forTests ? 'off' : 'on',
    synchronous_commit: 'on',
    random_page_cost: 1.1,
    // Compiling a short statement costs more than running it.
    jit: 'off',
    // Parallel workers need shared memory that containers keep small, and short statements gain nothing from them.
    max_parallel_workers_per_gather: 0,
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Refused statements are the client's to report, and their text may hold personal data.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_parameter_max_length: 0,
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** Only part of the socket's file name: the server listens on no network. */
export const SOCKET_PORT = 5432
