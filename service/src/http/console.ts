import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Clock } from '../kernel/clock.ts'
import { notFound } from './errors.ts'
import type { Server } from './server.ts'
import { type SendAsset, staticAsset } from './static-asset.ts'

export interface ConsoleOptions {
  readonly mode: 'sandbox' | 'live'
  readonly clock: Clock
  /** The built console; `npm ci` makes it. */
  readonly folder?: string
}

const DIST = fileURLToPath(new URL('../../../console/dist', import.meta.url))
const NONCE_BYTES = 16

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  webmanifest: 'application/manifest+json',
}

/** The console for people at /console: one page, whose script shows what its address names, and the files of that page. */
export function addConsole(server: Server, { mode, clock, folder = DIST }: ConsoleOptions): void {
  server.pages(scope => {
    scope.get('/', (_request, reply) => reply.redirect('/console', 302))
    scope.get('/console/now', (_request, reply) =>
      reply.header('cache-control', 'no-store').send({ now: clock.now().toISOString() }),
    )
    if (!existsSync(join(folder, 'index.html'))) {
      servePage(scope, reply => sendUnbuilt(reply))
      return
    }
    const html = readFileSync(join(folder, 'index.html'), 'utf8').replace('MODE_OF_THE_SERVICE', mode)
    serveFiles(scope, folder)
    servePage(scope, reply => sendPage(reply, html))
  })
}

/** Every other address below /console is the page: its script knows the addresses. */
function servePage(scope: FastifyInstance, send: (reply: FastifyReply) => FastifyReply): void {
  for (const path of ['/console', '/console/*']) scope.get(path, (_request, reply) => send(reply))
  scope.get('/console/assets/*', () => {
    throw notFound()
  })
}

function sendPage(reply: FastifyReply, html: string): FastifyReply {
  const nonce = randomBytes(NONCE_BYTES).toString('base64')
  return reply
    .header('content-security-policy', contentSecurityPolicy(nonce))
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(html.replaceAll('NONCE_OF_THE_RESPONSE', nonce))
}

/**
 * Only scripts and styles with the nonce of this response run. Strings reach the document only through the page's one
 * policy of Trusted Types (console/src/trusted-types.ts).
 */
function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ')
}

const UNBUILT = `The console is not built. Run \`npm run prepare\` in the folder of the service and start it again.
The API does not need it: see /docs.
`

function sendUnbuilt(reply: FastifyReply): FastifyReply {
  return reply.code(503).header('cache-control', 'no-store').type('text/plain; charset=utf-8').send(UNBUILT)
}

/** The name of a file below `assets` changes with its content; the names of the others stay. */
function serveFiles(scope: FastifyInstance, folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const type = TYPES[name.split('.').at(-1) ?? '']
    if (type !== undefined) scope.get(`/console/${name}`, sendFile(join(folder, name), name, type))
  }
}

function sendFile(path: string, name: string, type: string): SendAsset {
  const isHashed = name.startsWith('assets/')
  return staticAsset({
    type,
    headers: {
      'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      // The worker also has the page at /console itself, which is outside of its own folder.
      ...(name === 'service-worker.js' ? { 'service-worker-allowed': '/console' } : {}),
    },
    make: () => readFileSync(path),
  })
}
