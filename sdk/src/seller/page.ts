import type { PaymentChallenge } from '../protocol/messages.ts'

/** The content of the page of a 402. */
export interface PageFacts {
  readonly challenge: PaymentChallenge
  readonly description: string | null
  readonly path: string
  /** Why a payment was refused. */
  readonly refusal: string | null
}

const STYLE = `:root{color-scheme:light dark;--ink:#1b1a17;--soft:#6d675c;--paper:#f7f4ee;--card:#fff;--line:#e4ded2;--mark:#b4541a}
@media(prefers-color-scheme:dark){:root{--ink:#f1ede4;--soft:#a39b8c;--paper:#141310;--card:#1e1c18;--line:#353129;--mark:#f0a06a}}
*{box-sizing:border-box}body{margin:0;min-height:100vh;display:grid;grid-template-columns:minmax(0,1fr);place-items:center;padding:1.5rem;background:var(--paper);color:var(--ink);font:1rem/1.55 system-ui,sans-serif}
main{width:min(34rem,100%);background:var(--card);border:1px solid var(--line);border-radius:1rem;padding:2rem}
h1{margin:0;font-size:1.05rem;font-weight:600;overflow-wrap:anywhere}.price{margin:.4rem 0 1.4rem;font-size:2.6rem;line-height:1.1;font-weight:650;letter-spacing:-.02em;font-variant-numeric:tabular-nums}
.price small{font-size:1rem;font-weight:500;color:var(--soft);letter-spacing:0}.refusal{border-left:3px solid var(--mark);padding-left:.8rem}
dl{display:grid;grid-template-columns:auto 1fr;gap:.3rem 1.2rem;margin:0 0 1.4rem}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
pre{margin:0;padding:1rem;overflow-x:auto;background:var(--paper);border:1px solid var(--line);border-radius:.6rem}code{font:.8rem/1.6 ui-monospace,monospace}`

/** The SHA-256 of the style: the policy allows this style only, and no script, image or frame. */
const STYLE_HASH = 'sha256-gyZN9kiIPgppDIBt4OMYZc8MKREtfXHJlQ5R6lGvWWI='

export const PAGE_POLICY = `default-src 'none'; style-src '${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** A page without external resources that shows the price and how a program pays it. */
export function renderPage({ challenge, description, path, refusal }: PageFacts): string {
  const { payTo, amount, nonce } = challenge
  const title = description ?? 'This response'
  const snippet = `import { createClient, payingFetch } from '@batua/sdk'

const client = createClient({ baseUrl, agentKey })
const fetch = payingFetch(globalThis.fetch, {
  client,
  maxAmount: '${amount}',
})
const response = await fetch(address)`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Payment required</title><style>${STYLE}</style></head>
<body><main><h1>${escape(title)}</h1>
<p class="price">₹${escape(amount)} <small>for each request</small></p>${refusal === null ? '' : `\n<p class="refusal">${escape(refusal)}</p>`}
<dl><dt>Pay</dt><dd>${escape(payTo)}</dd><dt>For</dt><dd>${escape(shortened(path))}</dd><dt>Nonce</dt><dd><code>${escape(nonce)}</code></dd></dl>
<p>Software agents pay for this, one request at a time. An agent with a Batua wallet does so by itself:</p>
<pre><code>${escape(snippet)}</code></pre></main></body></html>
`
}

const MAX_TEXT = 160

function shortened(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, character => ENTITIES[character] ?? '')
}
