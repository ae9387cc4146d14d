import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from './free-port.ts'

/** Whether Debian's package `redis-server` is installed. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0

/** A Redis on this machine that writes each command to disk before it responds. */
export interface RedisServer {
  readonly port: number
  /** A new connection. */
  connect(): Redis
  /** Kills the process. */
  kill(): Promise<void>
  /** Stops the process, or continues it: while it is stopped, it keeps its connections and responds to nothing. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  /** Kills the process, and starts another with the same files and the same port. */
  crash(): Promise<void>
  close(): Promise<void>
}

export async function startRedis(): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), 'batua-redis-'))
  const port = await freePort()
  const connections: Redis[] = []

  async function start() {
    const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder]
    const durable = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always']
    const child = spawn('redis-server', [...place, ...durable, '--daemonize', 'no'], { stdio: 'ignore' })
    const ended = once(child, 'exit')
    const first = new Redis(port, '127.0.0.1', { retryStrategy: () => 50, maxRetriesPerRequest: null })
    // Until it listens, each attempt to connect fails.
    first.on('error', () => {})
    await first.ping()
    first.disconnect()
    return {
      signal: (name: NodeJS.Signals) => void child.kill(name),
      async kill() {
        child.kill('SIGKILL')
        await ended
      },
    }
  }
  let running = await start()
  return {
    port,
    connect() {
      const redis = new Redis(port, '127.0.0.1')
      redis.on('error', () => {})
      connections.push(redis)
      return redis
    },
    kill: () => running.kill(),
    signal: name => running.signal(name),
    async crash() {
      await running.kill()
      running = await start()
    },
    async close() {
      for (const each of connections) each.disconnect()
      await running.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
