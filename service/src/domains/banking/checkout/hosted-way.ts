import type { FundingMethod } from '@batua/contract'
import { formatInr } from './format.ts'
import { type Html, html } from './html.ts'
import { ICONS } from './icons.ts'
import type { HostedCheckout, SessionView } from './view.ts'

const OFFERED: Record<FundingMethod, string> = {
  link: 'UPI, card or net banking',
  upi: 'UPI',
  card: 'Debit or credit card',
  netbanking: 'Net banking',
}

/**
 * The gateway's own checkout, started by its script. The button is shown from the start and says what it waits for; it
 * works once the script has loaded, and becomes a retry button when the script was delayed or blocked.
 */
export function hostedWay({ funding }: SessionView, { script, gatewaySessionId }: HostedCheckout): Html {
  return html`<div class="hosted" data-checkout="${script.src}" data-mode="${script.mode}" data-session="${gatewaySessionId}">
<p class="offer">${ICONS.lock}<span><b>${OFFERED[funding.method]}</b><small>On the secure page of our payment partner</small></span></p>
<button class="button" type="button" disabled data-pay>Pay ${formatInr(funding.amountPaise)}</button>
<p class="hint" role="status" data-progress hidden>Getting the payment page ready…</p>
<p class="hint bad" role="alert" data-blocked hidden>The payment page could not be reached. Check your connection, or switch off what blocks scripts here, and try again. Nothing was taken.</p>
<button class="button plain" type="button" data-retry hidden>Try again</button>
<noscript><p class="hint bad">To pay, your browser must run JavaScript. Switch it on for this page, then <a href="">load it again</a>. Nothing was taken.</p></noscript>
</div>`
}
