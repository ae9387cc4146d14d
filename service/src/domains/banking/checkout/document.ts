import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { CheckoutScript } from '../../../gateways/checkout-script.ts'
import { FAVICON_SVG } from '../../../http/favicon.ts'
import { type Html, html, trusted } from './html.ts'
import { ICONS } from './icons.ts'

const SHEETS = ['theme', 'frame', 'summary', 'ways', 'controls', 'result']
const CSS = SHEETS.map(name => read(`./styles/${name}.css`)).join('\n')
const SCRIPT = read('./checkout.client.js')
const HOSTED_SCRIPT = read('./hosted.client.js')

function read(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
}

/** The page is one document: it loads nothing else, and no other style or script can run in it. */
export const CONTENT_SECURITY_POLICY = policy({ script: [], connect: [], frame: [], form: [] })

/** The policy of a page that starts a payment with a gateway's own script: it also allows that gateway's hosts. */
export function hostedContentSecurityPolicy({ allows }: CheckoutScript): string {
  return policy({ ...allows, script: [hashOf(HOSTED_SCRIPT), ...allows.script] })
}

function policy({ script, connect, frame, form }: CheckoutScript['allows']): string {
  return [
    "default-src 'none'",
    `style-src ${hashOf(CSS)}`,
    ['script-src', hashOf(SCRIPT), ...script].join(' '),
    ["connect-src 'self'", ...connect].join(' '),
    ...(frame.length === 0 ? [] : [['frame-src', ...frame].join(' ')]),
    'img-src data:',
    ["form-action 'self'", ...form].join(' '),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

const FAVICON = `data:image/svg+xml,${encodeURIComponent(FAVICON_SVG)}`

export interface DocumentParts {
  readonly title: string
  readonly serviceName: string
  readonly isSimulated: boolean
  readonly main: Html
  readonly foot: Html
  /** The page starts a gateway's own checkout. */
  readonly isHosted?: boolean
  /** Seconds after which a browser without scripts reloads the page. */
  readonly refreshS?: number
}

export function renderDocument({
  title,
  serviceName,
  isSimulated,
  main,
  foot,
  isHosted = false,
  refreshS,
}: DocumentParts): string {
  const refresh =
    refreshS === undefined
      ? null
      : html`<noscript><meta http-equiv="refresh" content="${refreshS}"></noscript>`
  const chip = isSimulated ? html`<span class="chip">Sandbox · no real money</span>` : null
  const page = html`<!doctype html>
<html lang="en-IN">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<title>${title} · ${serviceName}</title>
<link rel="icon" href="${FAVICON}">
${refresh}
<style>${trusted(CSS)}</style>
</head>
<body>
<header class="top"><span class="brand">${ICONS.wallet}${serviceName}</span>${chip}</header>
${main}
<footer class="foot">${foot}</footer>
<script type="module">${trusted(SCRIPT)}</script>
${isHosted ? html`<script type="module">${trusted(HOSTED_SCRIPT)}</script>` : null}
</body>
</html>
`
  return page.markup
}
