import { sha256 } from '../buyer/sha-256.ts'
import { builtIn } from '../protocol/built-in.ts'

/** Lets another process, or another caller of this one, take the lock. */
export type Unlock = () => Promise<void>

/** The used part of `node:net`. */
interface NodeNet {
  readonly createServer: (onConnection: (socket: { destroy(): void }) => void) => LockServer
  readonly connect: (options: { readonly path: string }) => LockSocket
}

interface LockServer {
  listen(options: { readonly path: string; readonly exclusive: true }, onListening: () => void): unknown
  once(event: 'error', listener: (error: Error) => void): unknown
  close(onClosed: () => void): unknown
  unref(): unknown
}

interface LockSocket {
  once(event: 'connect' | 'error', listener: () => void): unknown
  destroy(): unknown
}

/** The used part of `node:fs/promises` and `node:os`. */
interface NodeFiles {
  readonly unlink: (path: string) => Promise<void>
}
interface NodeSystem {
  readonly platform: () => string
  readonly tmpdir: () => string
}

/**
 * Locks a name on this machine; throws an Error (code `EBUSY`) if it is locked. The lock is a socket without a port,
 * which the system frees when its process ends, however it ends. Platforms without such sockets lock nothing.
 */
export async function lockName(name: string): Promise<Unlock> {
  const { createServer, connect } = builtIn<NodeNet>('node:net') ?? {}
  const { platform, tmpdir } = builtIn<NodeSystem>('node:os') ?? {}
  const { unlink } = builtIn<NodeFiles>('node:fs/promises') ?? {}
  if (!createServer || !connect || !platform || !tmpdir || !unlink) return async () => {}
  const path = pathOf(`batua-${(await sha256(name)).slice(0, 32)}`, platform(), tmpdir())
  try {
    return await listenAt(createServer, path)
  } catch (error) {
    if (!isInUse(error)) throw error
    if (await responses(connect, path)) throw busy(name)
    // A file that a process left behind when it was killed: only this platform's sockets are files.
    await unlink(path).catch(() => {})
    return listenAt(createServer, path)
  }
}

/** Linux has sockets without files, and Windows named pipes: both end with their process. */
function pathOf(name: string, platform: string, folder: string): string {
  if (platform === 'linux') return `\0${name}`
  return platform === 'win32' ? `\\\\.\\pipe\\${name}` : `${folder}/${name}.sock`
}

async function listenAt(createServer: NodeNet['createServer'], path: string): Promise<Unlock> {
  const server = createServer(socket => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    // Otherwise the processes of a cluster would share it.
    server.listen({ path, exclusive: true }, resolve)
  })
  server.unref()
  return () => new Promise(resolve => server.close(resolve))
}

function responses(connect: NodeNet['connect'], path: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect({ path })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

function isInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
}

/** With a code, as of a file that is locked. */
function busy(name: string): Error {
  return Object.assign(new Error(`${name} is in use by another process, or by another store of this one`), {
    code: 'EBUSY',
  })
}
