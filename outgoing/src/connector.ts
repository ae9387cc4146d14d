import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { buildConnector } from 'undici'
import { dnsLookup, guardedLookup, type Lookup, systemLookup } from './lookup.ts'
import { NOT_HTTPS, NOT_PUBLIC, NotConnected, ResponseTooLong } from './no-response.ts'
import { mayConnectTo } from './public-address.ts'

export interface ConnectorOptions {
  readonly mode: 'sandbox' | 'live'
  readonly timeoutMs: number
  readonly lookup?: Lookup
  /** The certificate authority to trust instead of those of Node. */
  readonly ca?: string
  /** The limit for everything after a request; 512 KiB by default. */
  readonly maxResponseBytes?: number
}

export interface Connector {
  readonly connect: buildConnector.connector
  /** Aborts connections that are not established yet; undici closes only established ones. */
  close(): void
}

/**
 * Connects to addresses that others chose. An address is checked when it is the host itself, when the
 * host's name resolves to it (in the one lookup that the connection uses, so that DNS rebinding has no effect), and
 * once more when the connection is established, before a request is written.
 */
export function openConnector(options: ConnectorOptions): Connector {
  const { mode, timeoutMs, maxResponseBytes = MAX_RESPONSE_BYTES } = options
  const open = opener(options)
  const pending = new Set<Socket>()

  function connect(target: buildConnector.Options, callback: buildConnector.Callback): void {
    const refusal = refusalOf(target, mode)
    if (refusal !== null) {
      process.nextTick(() => callback(new NotConnected(refusal), null))
      return
    }
    const socket = open(target)
    pending.add(socket)
    const timer = setTimeout(() => socket.destroy(), timeoutMs)
    const finish = (callBack: () => void) => {
      if (!pending.delete(socket)) return
      clearTimeout(timer)
      callBack()
    }
    socket.once(isTls(target) ? 'secureConnect' : 'connect', () =>
      finish(() => {
        if (mayConnectTo(socket.remoteAddress ?? '', mode)) {
          limitResponses(socket, maxResponseBytes)
          return callback(null, socket)
        }
        socket.destroy()
        callback(new NotConnected(NOT_PUBLIC), null)
      }),
    )
    socket.on('error', error => finish(() => callback(error, null)))
    socket.once('close', () => finish(() => callback(new Error('closed'), null)))
  }

  return { connect, close: () => pending.forEach(socket => socket.destroy()) }
}

function refusalOf(target: buildConnector.Options, mode: 'sandbox' | 'live'): string | null {
  if (mode === 'live' && !isTls(target)) return NOT_HTTPS
  return isIP(target.hostname) !== 0 && !mayConnectTo(target.hostname, mode) ? NOT_PUBLIC : null
}

function isTls({ protocol }: buildConnector.Options): boolean {
  return protocol === 'https:'
}

function opener({ mode, lookup, ca }: ConnectorOptions): (target: buildConnector.Options) => Socket {
  const guarded = guardedLookup(lookup ?? (mode === 'live' ? dnsLookup() : systemLookup), mode)
  return target => {
    const { hostname: host } = target
    const port = Number(target.port || (isTls(target) ? 443 : 80))
    const tcp = { host, port, lookup: guarded, noDelay: true }
    if (!isTls(target)) return connectTcp(tcp)
    return connectTls({
      ...tcp,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ...(ca === undefined ? {} : { ca }),
      ALPNProtocols: ['http/1.1'],
      // NODE_TLS_REJECT_UNAUTHORIZED=0 must not turn this off.
      rejectUnauthorized: true,
    })
  }
}

/** Ten informational responses, headers, and a short body in the smallest chunks. */
const MAX_RESPONSE_BYTES = 512 * 1024

/**
 * Destroys a connection on which more arrives than the limit for a response. The HTTP parser limits headers and the
 * exchange limits bodies; neither counts empty lines, reason phrases or chunk extensions, and reading an endless stream
 * of them would occupy a core.
 */
function limitResponses(socket: Socket, maxBytes: number): void {
  let written = -1
  let readBefore = 0
  socket.on('readable', () => {
    if (socket.bytesWritten !== written) {
      written = socket.bytesWritten
      readBefore = socket.bytesRead
    }
    if (socket.bytesRead - readBefore > maxBytes) socket.destroy(new ResponseTooLong())
  })
}
