import { createHash } from 'node:crypto'
import { fastify as createFastify } from 'fastify'
import { assert } from '../../kernel/assert.ts'
import type { Server } from '../server.ts'
import { FAVICON_SVG, type SendAsset, staticAsset } from '../static-asset.ts'
import { addGuides, guideLinks } from './guides.ts'
import { type OpenApiInfo, openApiDocument } from './openapi.ts'

const ASSET_MAX_AGE_S = 86_400
const SCRIPT_PATH = '/docs/js/scalar.js'
const PAGE_DOCUMENT_PATH = '/docs/openapi.json'

/** The machine-readable description at /openapi.json and a page for people at /docs, all of it from this process. */
export function addDocs(server: Server, info: OpenApiInfo): void {
  server.fastify.get(
    '/openapi.json',
    { onRequest: server.countPage },
    documentOf(server, info, info.serverUrl),
  )
  const sendScript = staticAsset({
    type: 'application/javascript; charset=utf-8',
    headers: { 'cache-control': `public, max-age=${ASSET_MAX_AGE_S}` },
    make: () => renderReference(info.title, SCRIPT_PATH),
  })
  const sendFavicon = staticAsset({
    type: 'image/svg+xml',
    headers: { 'cache-control': `public, max-age=${ASSET_MAX_AGE_S}` },
    make: () => FAVICON_SVG,
  })
  server.pages(scope => {
    let page: Promise<Page> | undefined
    scope.get('/favicon.ico', sendFavicon)
    scope.get('/docs', (_request, reply) => reply.redirect('/docs/', 301))
    scope.get('/docs/', async (_request, reply) => {
      const { html, policy } = await (page ??= renderPage(info.title))
      return reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(html)
    })
    scope.get(SCRIPT_PATH, sendScript)
    // The page may only call its own origin. Without a host in it, the document works at each name of this server.
    scope.get(PAGE_DOCUMENT_PATH, documentOf(server, info, ''))
    addGuides(scope)
  })
}

/** The document with its addresses at an origin; an empty origin makes them relative. */
function documentOf(server: Server, info: OpenApiInfo, origin: string): SendAsset {
  const [first, ...rest] = info.description.split('\n\n')
  const description = [first, guideLinks(origin), ...rest].join('\n\n')
  const placed = { ...info, description, serverUrl: origin === '' ? '/' : origin }
  return staticAsset({
    type: 'application/json; charset=utf-8',
    // Tools on other origins may read it, because it contains no data of callers.
    headers: { 'access-control-allow-origin': '*', 'cache-control': 'no-cache' },
    make: () => JSON.stringify(openApiDocument(server.served, placed)),
  })
}

/**
 * The response of the vendor's plug-in, rendered once by a server that listens nowhere. As a plug-in of this server it
 * would encode four megabytes for each request.
 */
async function renderReference(title: string, url: string): Promise<string> {
  // Loaded when the page is first asked for: it takes a tenth of what the service loads.
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const renderer = createFastify()
  try {
    await renderer.register(scalar, {
      routePrefix: '/docs',
      configuration: {
        url: PAGE_DOCUMENT_PATH,
        pageTitle: title,
        // The page makes no request to the vendor: no fonts, no proxy, no statistics, no assistant.
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
    const { statusCode, body } = await renderer.inject({ method: 'GET', url })
    assert(statusCode === 200, 'the reference page can be rendered')
    return body
  } finally {
    await renderer.close()
  }
}

interface Page {
  readonly html: string
  /** Its content security policy. */
  readonly policy: string
}

const INLINE_SCRIPT = /<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g

/**
 * The page starts with an inline script, which its hash allows, and its script sets inline styles, which need
 * 'unsafe-inline'. Everything else is limited to this origin.
 */
async function renderPage(title: string): Promise<Page> {
  const html = await renderReference(title, '/docs/')
  const hashes = [...html.matchAll(INLINE_SCRIPT)].map(([, script = '']) => `'${sha256(script)}'`)
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  return { html, policy }
}

function sha256(script: string): string {
  return `sha256-${createHash('sha256').update(script).digest('base64')}`
}
