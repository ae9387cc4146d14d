/** The card that clients with MCP Apps show for a wallet, a payment and an approval (SEP-1865). */
export const CARD = { uri: 'ui://batua/card', name: 'card', mimeType: 'text/html;profile=mcp-app' } as const

/** It connects to nothing and loads nothing. */
const NOTHING = { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] }

export function cardContents() {
  return {
    uri: CARD.uri,
    mimeType: CARD.mimeType,
    text: HTML,
    _meta: { ui: { csp: NOTHING, prefersBorder: true } },
  }
}

const STYLE = `
  :root { color-scheme: light dark; font: 14px/1.4 var(--font-sans, system-ui, sans-serif) }
  body { margin: 0; padding: 16px; color: var(--color-text-primary, CanvasText); background: var(--color-background-primary, Canvas) }
  h1 { margin: 0; font-size: 13px; font-weight: 500; color: var(--color-text-secondary, GrayText) }
  .amount { margin: 2px 0 12px; font-size: 28px; font-weight: 600; font-variant-numeric: tabular-nums }
  dl { display: grid; grid-template-columns: auto 1fr; gap: 6px 16px; margin: 0 }
  dt { color: var(--color-text-secondary, GrayText) }
  dd { margin: 0; text-align: right; overflow-wrap: anywhere; font-variant-numeric: tabular-nums }
`

/** Every value is set as text, never as HTML: names, references and notes are written by others. */
const SCRIPT = `
  const INR = new Intl.NumberFormat('en-IN', { style: 'currency', currency: 'INR' })
  const WORDS = {
    completed: 'Paid', pending_approval: 'Waits for the owner', approved: 'Approved', rejected: 'Rejected',
    expired: 'Expired', held: 'Held in escrow', released: 'Released', refunded: 'Refunded',
  }
  const WINDOWS = {
    payment: 'per payment', last_hour: 'in an hour', last_24_hours: 'in 24 hours', ist_day: 'today', ist_month: 'this month',
  }
  const root = document.querySelector('main')
  const element = (name, text) => Object.assign(document.createElement(name), { textContent: text })
  const inr = value => (typeof value === 'number' ? INR.format(value) : null)
  const time = value => (typeof value === 'string' ? new Date(value).toLocaleString() : null)

  function wallet(data) {
    const limits = (data.limits ?? [])
      .filter(limit => limit.rule.startsWith('spend_limit'))
      .map(limit => ['Left ' + (WINDOWS[limit.window] ?? ''), inr(limit.remaining) + ' of ' + inr(limit.limit)])
    const held = [['In escrow', data.held], ['Waits for approval', data.pending_approvals]]
      .filter(([, value]) => value > 0)
      .map(([label, value]) => [label, inr(value)])
    return { title: '@' + data.handle, amount: inr(data.balance), rows: [['Status', data.status], ...held, ...limits] }
  }

  function request(data) {
    const rows = [
      ['To', data.to_name ?? data.to ?? data.to_agent_id], ['Fee', inr(data.fee ?? data.cost)],
      ['For', data.context?.purpose], ['Reference', data.reference], ['Note', data.note],
      ['Reason', data.rejection_reason], ['Expires', time(data.expires_at)], ['Balance', inr(data.from_balance)],
    ]
    return { title: WORDS[data.status] ?? data.status, amount: inr(data.amount), rows }
  }

  function show(result) {
    const data = result.structuredContent ?? {}
    const view = result.isError ? { title: data.message ?? 'Refused', amount: null, rows: [['Code', data.code]] }
      : 'balance' in data ? wallet(data) : request(data)
    const list = document.createElement('dl')
    for (const [label, value] of view.rows)
      if (value !== undefined && value !== null) list.append(element('dt', label), element('dd', String(value)))
    const amount = element('p', view.amount ?? '')
    amount.className = 'amount'
    root.replaceChildren(element('h1', view.title), amount, list)
    const { height } = document.documentElement.getBoundingClientRect()
    send({ method: 'ui/notifications/size-changed', params: { height: Math.ceil(height) } })
  }

  const send = message => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
  window.addEventListener('message', ({ source, data: message }) => {
    if (source !== window.parent || message?.jsonrpc !== '2.0') return
    if (message.id === 1 && message.result !== undefined) send({ method: 'ui/notifications/initialized', params: {} })
    else if (message.method === 'ui/notifications/tool-result') show(message.params ?? {})
    else if (message.id !== undefined && message.method !== undefined) send({ id: message.id, result: {} })
  })
  send({
    id: 1, method: 'ui/initialize',
    params: { protocolVersion: '2026-01-26', appInfo: { name: 'batua-card', version: '1.0.0' }, appCapabilities: {} },
  })
`

const HTML = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'">
<title>Batua</title>
<style>${STYLE}</style>
</head>
<body>
<main></main>
<script>${SCRIPT}</script>
</body>
</html>
`
