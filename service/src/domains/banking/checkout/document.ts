import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { CheckoutScript } from '../../../gateways/payment-gateway.ts'
import { FAVICON_SVG } from '../../../http/static-asset.ts'
import { type Html, html, trusted } from './html.ts'

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

function icon(paths: string): Html {
  return trusted(`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">${paths}</svg>`)
}

export const ICONS = {
  wallet: icon(
    '<path d="M4 7.5A2.5 2.5 0 0 1 6.5 5H17a2 2 0 0 1 2 2v1"/><path d="M4 7.5v9A2.5 2.5 0 0 0 6.5 19H18a2 2 0 0 0 2-2v-7a2 2 0 0 0-2-2H4.6"/><circle cx="16" cy="13.5" r="1.1"/>',
  ),
  upi: icon(
    '<rect x="4" y="4" width="6" height="6" rx="1"/><rect x="14" y="4" width="6" height="6" rx="1"/><rect x="4" y="14" width="6" height="6" rx="1"/><path d="M14 14h2.5v2.5H14zM20 14v2M17.5 20H20v-1.5M14 20v-1"/>',
  ),
  card: icon('<rect x="3" y="5.5" width="18" height="13" rx="2.5"/><path d="M3 10h18M7 15h3"/>'),
  bank: icon('<path d="m4 9.5 8-5 8 5zM6 10v7M10 10v7M14 10v7M18 10v7M4 19.5h16"/>'),
  lock: icon(
    '<rect x="5" y="10.5" width="14" height="9.5" rx="2.5"/><path d="M8 10.5V8a4 4 0 0 1 8 0v2.5M12 14v2.5"/>',
  ),
  clock: icon('<circle cx="12" cy="12" r="8.5"/><path d="M12 7.5V12l3 2"/>'),
  check: icon('<path d="m5 12.5 4.5 4.5L19 7.5"/>'),
  cross: icon('<path d="m7 7 10 10M17 7 7 17"/>'),
  back: icon('<path d="M9 7 5 11l4 4"/><path d="M5 11h9a5 5 0 0 1 0 10h-1"/>'),
  alert: icon('<circle cx="12" cy="12" r="8.5"/><path d="M12 8v4.5M12 15.8v.2"/>'),
  search: icon('<circle cx="11" cy="11" r="6.5"/><path d="m16 16 4 4"/>'),
} as const
