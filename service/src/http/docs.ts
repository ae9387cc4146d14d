import { createHash } from 'node:crypto'
import scalar from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import { type OpenApiInfo, openApiDocument } from './openapi.ts'
import type { Server } from './server.ts'

/** The machine-readable description at /openapi.json and a page for people at /docs, all of it from this process. */
export function addDocs(server: Server, info: OpenApiInfo): void {
  let document: string | undefined
  server.fastify.get('/openapi.json', (_request, reply) => {
    document ??= JSON.stringify(openApiDocument(server.served, info))
    // Tools that run in a browser elsewhere read it too; there is nothing of anybody's in it.
    reply.header('access-control-allow-origin', '*').header('cache-control', 'no-cache')
    reply.header('content-type', 'application/json; charset=utf-8')
    return document
  })
  server.pages(scope => addReference(scope, info.title))
}

const SCRIPT_MAX_AGE_S = 86_400

function addReference(scope: FastifyInstance, title: string): void {
  allowInlineParts(scope)
  void scope.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: title,
      // Nothing may leave for the maker's servers: no fonts, no proxy, no statistics, no assistant.
      withDefaultFonts: false,
      proxyUrl: '',
      telemetry: false,
      agent: { disabled: true, hideAddApi: true },
      mcp: { disabled: true },
      hideClientButton: true,
      showDeveloperTools: 'never',
      defaultOpenAllTags: false,
    },
  })
}

const INLINE_SCRIPT = /<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g

/**
 * The page starts itself with one script written into it, allowed by its hash, and sets its styles from its own
 * script, which only 'unsafe-inline' allows. Everything else stays on this origin.
 */
function allowInlineParts(scope: FastifyInstance): void {
  scope.addHook('onSend', async (_request, reply, payload: unknown) => {
    if (typeof payload !== 'string') return payload
    if (!String(reply.getHeader('content-type')).startsWith('text/html')) {
      reply.header('cache-control', `public, max-age=${SCRIPT_MAX_AGE_S}`)
      return payload
    }
    const hashes = [...payload.matchAll(INLINE_SCRIPT)].map(([, script = '']) => `'${sha256(script)}'`)
    reply.header(
      'content-security-policy',
      [
        "default-src 'none'",
        `script-src 'self' ${hashes.join(' ')}`,
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ].join('; '),
    )
    return payload
  })
}

function sha256(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
