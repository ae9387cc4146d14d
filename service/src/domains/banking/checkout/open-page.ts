import type { FundingMethod, PaidMethod } from '@batua/contract'
import { rupees } from '../../../kernel/money.ts'
import { gatewayFee } from '../funding/decide.ts'
import { ICONS } from './document.ts'
import { formatCountdown, formatInr, formatTime } from './format.ts'
import { type Html, html, trusted } from './html.ts'
import type { HostedCheckout, PageState, SessionView } from './view.ts'

/** The page of a session that can be paid. */
export function openPage(view: SessionView, state: PageState, qr: string | null): Html {
  const { session } = view
  return html`<main class="frame two" data-state="${state}" data-status-url="${session}/status">
${notice(view, state)}
${summary(view)}
<section class="sheet ways" aria-labelledby="ways">
<h2 id="ways">${view.hosted === null ? 'Choose how to pay' : 'How you pay'}</h2>
${view.hosted === null ? null : hostedWay(view, view.hosted)}
${view.hosted === null || view.upiIntent !== null ? upiWay(view, qr) : null}
${view.isSimulated && view.hosted === null ? [simulatedWay(view, 'card'), simulatedWay(view, 'netbanking')] : null}
${cancellation(view)}
</section>
</main>`
}

/** Cancelling ends the link for good, so it needs a confirmation. It is a plain form: it needs no script. */
function cancellation({ session, funding, payee }: SessionView): Html {
  return html`<details class="give-up"><summary class="link">Cancel this payment</summary>
<form method="post" action="${session}/cancel">
<p>This ends the link. ${formatInr(funding.amountPaise)} will not be added to the wallet of ${payee.agentName}.</p>
<button class="button danger">Yes, cancel this payment</button></form></details>`
}

function notice({ funding, message }: SessionView, state: PageState): Html | null {
  if (message === 'gateway_failed') {
    return alert(
      'That did not work',
      'The payment service did not respond. Try again in a moment, or pay another way.',
    )
  }
  if (message === 'too_soon') {
    return alert(
      'One moment',
      'The payment service was contacted just now. Wait three seconds, then try again.',
    )
  }
  if (message === 'too_many_collects') {
    return alert(
      'No more requests to UPI apps',
      'As many were sent as may be. Scan the code, or pay another way.',
    )
  }
  switch (state) {
    case 'waiting':
      return html`<div class="notice" role="status"><span class="pulse"></span><div>
<b>Waiting for your approval of ${formatInr(funding.amountPaise)}</b>
<p>Open your UPI or bank app and approve the request. This page shows the result by itself.</p>
<noscript><p>It reloads every 10 seconds.</p></noscript></div></div>`
    case 'declined':
      return alert(
        'That payment did not go through',
        'No money reached us. Should your account show a debit, your bank returns it. Try again or choose another way to pay.',
      )
    case 'dropped':
      return alert('That payment was not finished', 'No money reached us. You can start again below.')
    default:
      return null
  }
}

function alert(title: string, text: string): Html {
  return html`<div class="notice bad" role="alert">${ICONS.alert}<div><b>${title}</b><p>${text}</p></div></div>`
}

function summary({ funding, payee, now }: SessionView): Html {
  const amount = formatInr(funding.amountPaise)
  const leftMs = funding.expiresAt.getTime() - now.getTime()
  const long = amount.length > 13 ? ' long' : ''
  return html`<section class="sheet summary" aria-label="What you pay for">
<div class="payee"><span class="letter" aria-hidden="true">${initialOf(payee.agentName)}</span><div>
<p class="eyebrow">Add money to</p>
<h1>${payee.agentName}</h1>
<p class="who"><span>@${payee.handle}</span><span>${payee.platformName}</span></p></div></div>
<p class="amount${long}">${amount}</p>
<p class="expiry">${ICONS.clock}<span>Pay by ${formatTime(funding.expiresAt)}
<span aria-hidden="true">(<span data-countdown="${leftMs}">${formatCountdown(leftMs)}</span> left)</span></span></p>
${sums(funding)}
</section>`
}

/** The amount that is paid, the gateway's fee, and the amount that is credited. */
export function sums({ amountPaise, feePaise }: SessionView['funding']): Html {
  const fee = feePaise ?? gatewayFee(amountPaise, 'upi')
  const percent = Math.round((rupees(fee) / rupees(amountPaise)) * 1_000) / 10
  const net = formatInr((amountPaise - fee) as typeof amountPaise)
  return html`<dl class="sums">
<div><dt>${feePaise === null ? 'You pay' : 'You paid'}</dt><dd>${formatInr(amountPaise)}</dd></div>
<div><dt>Gateway fee (${percent}%)</dt><dd>− ${formatInr(fee)}</dd></div>
<div class="total"><dt>Added to the wallet</dt><dd>${net}</dd></div>
</dl>`
}

function initialOf(name: string): string {
  const [first = ''] =
    new Intl.Segmenter('en').segment(name.trim())[Symbol.iterator]().next().value?.segment ?? ''
  return first.toUpperCase()
}

function upiWay(view: SessionView, qr: string | null): Html {
  const isOpen = view.hosted === null && (!view.isSimulated || view.way === 'upi')
  return html`<details class="way" name="way" ${openAttribute(isOpen)}>
<summary>${ICONS.upi}<span><b>UPI</b><small>Scan a code<span class="on-phone">, open your app</span> or enter your UPI ID</small></span></summary>
<div class="inside">
${view.isSimulated && view.hosted === null ? simulation(view, 'upi') : null}
${view.upiIntent === null || qr === null ? noQr() : scan(view, view.upiIntent, qr)}
${view.upiCollect ? upiIdForm(view) : null}
</div></details>`
}

function openAttribute(isOpen: boolean): Html | null {
  return isOpen ? trusted('open') : null
}

function noQr(): Html {
  return html`<p class="hint">The UPI code is not available at the moment. Load this page again, or pay another way.</p>`
}

function scan({ funding }: SessionView, intent: string, qr: string): Html {
  return html`<a class="button on-phone" href="${intent}">Open my UPI app</a>
<div class="scan"><div class="qr" role="img" aria-label="UPI QR code for ${formatInr(funding.amountPaise)}">${trusted(qr)}</div>
<p class="other-phone">Scan with another phone</p>
<ol class="steps"><li>Open any UPI app on your phone</li><li>Scan this code</li>
<li>Check the amount and approve</li></ol></div>
<noscript><p class="hint">When you have paid, <a href="">load this page again</a> to see the result.</p></noscript>`
}

function upiIdForm({ session, message, isSimulated }: SessionView): Html {
  const wrong = message === 'wrong_upi_id'
  const error = html`<p class="hint bad" id="upi-hint">No UPI app has that UPI ID. It looks like name@bank.</p>`
  const sandboxHint = html`<p class="hint" id="upi-hint">In the sandbox <code>testsuccess@gocash</code> approves
and <code>testfailure@gocash</code> declines after two seconds.</p>`
  const hint = html`<p class="hint" id="upi-hint">You get a request in your UPI app and approve it there.</p>`
  const { placeholder, invalid } = {
    placeholder: 'name@bank',
    invalid: wrong ? trusted('aria-invalid="true"') : null,
  }
  return html`<p class="or">or</p>
<form method="post" action="${session}/upi">
<label for="upi-id">Your UPI ID</label>
<div class="row beside"><input type="text" id="upi-id" name="upi_id" required maxlength="320" placeholder="${placeholder}"
pattern="[A-Za-z0-9._\\-]{2,256}@[A-Za-z][A-Za-z0-9]{1,63}" title="A UPI ID such as name@bank" ${invalid}
inputmode="email" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="upi-hint">
<button class="button">Send request</button></div>
${wrong ? error : isSimulated ? sandboxHint : hint}
</form>`
}

const WAYS = {
  card: {
    title: 'Card',
    subtitle: 'Debit or credit card',
    story: 'With a live gateway you would enter your card here.',
    icon: ICONS.card,
  },
  netbanking: {
    title: 'Net banking',
    subtitle: 'Log in to your bank',
    story: 'With a live gateway you would go to your bank’s page now.',
    icon: ICONS.bank,
  },
} as const

function simulatedWay(view: SessionView, method: 'card' | 'netbanking'): Html {
  const { title, subtitle, icon } = WAYS[method]
  return html`<details class="way" name="way" ${openAttribute(view.way === method)}>
<summary>${icon}<span><b>${title}</b><small>${subtitle}</small></span></summary>
<div class="inside">${simulation(view, method)}</div></details>`
}

const STORIES: Record<PaidMethod, string> = {
  upi: 'No UPI app can pay this code. Choose the result.',
  card: `${WAYS.card.story} This is a simulation: no card is charged. Choose the result.`,
  netbanking: `${WAYS.netbanking.story} This is a simulation: no bank is contacted. Choose the result.`,
}

function simulation({ session, funding }: SessionView, method: PaidMethod): Html {
  return html`<form class="simulation" method="post" action="${session}/simulate">
<div><h3>Sandbox simulation</h3><p>${STORIES[method]}</p></div>
<input type="hidden" name="method" value="${method}">
<div class="pair"><button class="button" name="outcome" value="success">Pay ${formatInr(funding.amountPaise)}</button>
<button class="button danger" name="outcome" value="decline">Simulate a decline</button></div>
</form>`
}

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
function hostedWay({ funding }: SessionView, { script, gatewaySessionId }: HostedCheckout): Html {
  return html`<div class="hosted" data-checkout="${script.src}" data-mode="${script.mode}" data-session="${gatewaySessionId}">
<p class="offer">${ICONS.lock}<span><b>${OFFERED[funding.method]}</b><small>On the secure page of our payment partner</small></span></p>
<button class="button" type="button" disabled data-pay>Pay ${formatInr(funding.amountPaise)}</button>
<p class="hint" role="status" data-progress hidden>Getting the payment page ready…</p>
<p class="hint bad" role="alert" data-blocked hidden>The payment page could not be reached. Check your connection, or switch off what blocks scripts here, and try again. Nothing was taken.</p>
<button class="button plain" type="button" data-retry hidden>Try again</button>
<noscript><p class="hint bad">To pay, your browser must run JavaScript. Switch it on for this page, then <a href="">load it again</a>. Nothing was taken.</p></noscript>
</div>`
}
