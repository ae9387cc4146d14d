import { ICONS } from './document.ts'
import { formatInr, formatMoment } from './format.ts'
import { type Html, html } from './html.ts'
import { sums } from './open-page.ts'
import type { PageState, SessionView } from './view.ts'

type ClosedState = Exclude<PageState, 'open' | 'waiting' | 'declined' | 'dropped'>

/** The page of a session that can no longer be paid: its outcome, and what to do now. */
export function closedPage(view: SessionView, state: ClosedState): Html {
  const result = resultOf(view, state)
  // Money may still arrive while a session is being closed, so only then does the page keep polling.
  const watch = state === 'checking' ? html`data-status-url="${view.session}/status"` : null
  return html`<main class="frame" data-state="${state}" ${watch}>
<section class="sheet result ${result.look}">
<div class="badge">${result.icon}</div>
<h1>${result.title}</h1>
${result.body}
</section>
</main>`
}

interface Result {
  readonly look: 'good' | 'bad' | 'quiet'
  readonly icon: Html
  readonly title: string
  readonly body: Html
}

function resultOf(view: SessionView, state: ClosedState): Result {
  switch (state) {
    case 'completed':
      return completed(view)
    case 'reversed':
      return {
        look: 'bad',
        icon: ICONS.back,
        title: 'The bank took this payment back',
        body: explained(
          html`The payment of ${formatInr(view.funding.amountPaise)} to ${who(view)} was charged back.`,
          'The money is no longer in the wallet. If you did not ask for this, speak to your bank.',
        ),
      }
    case 'checking':
      return {
        look: 'quiet',
        icon: ICONS.clock,
        title: 'The time is up',
        body: explained(
          html`We are checking whether ${formatInr(view.funding.amountPaise)} for ${who(view)} arrived in time.`,
          'This takes a moment. The page shows the result by itself.',
        ),
      }
    case 'closed':
      return closed(view)
    case 'expired':
      return unpaid(view, ICONS.clock, 'This payment link has expired', 'quiet')
    case 'cancelled':
      return unpaid(view, ICONS.cross, 'Payment cancelled', 'quiet')
    case 'failed':
      return unpaid(view, ICONS.cross, 'The payment failed', 'bad')
  }
}

function completed(view: SessionView): Result {
  const { funding } = view
  const paidAt =
    funding.closedAt === null
      ? null
      : html`<div><dt>Paid</dt><dd>${formatMoment(funding.closedAt)}</dd></div>`
  const reference =
    funding.bankReference === null
      ? null
      : html`<div><dt>Bank reference</dt><dd>${funding.bankReference}</dd></div>`
  const amount = formatInr(funding.amountPaise)
  return {
    look: 'good',
    icon: ICONS.check,
    title: 'Payment received',
    body: html`<p class="amount${amount.length > 13 ? ' long' : ''}">${amount}</p>
<p>Thank you. The wallet of ${who(view)} was credited and can be used at once.</p>
${sums(funding)}
<dl class="sums">${paidAt}${reference}</dl>
<p class="next">You are done and can close this page.</p>`,
  }
}

function unpaid(view: SessionView, icon: Html, title: string, look: Result['look']): Result {
  return {
    look,
    icon,
    title,
    body: explained(
      html`${formatInr(view.funding.amountPaise)} for ${who(view)} was not paid.`,
      `No money reached us. What still arrives for this link goes back to you. To try again, ask ${view.payee.platformName} for a new link.`,
    ),
  }
}

/** The agent was deactivated, so a new link would not help, unlike after an expiry. */
function closed(view: SessionView): Result {
  return {
    look: 'quiet',
    icon: ICONS.cross,
    title: 'This wallet was closed',
    body: explained(
      html`${formatInr(view.funding.amountPaise)} for ${who(view)} was not paid, and nothing can be added any more.`,
      `No money reached us. What still arrives for this link goes back to you. If you did not expect this, ask ${view.payee.platformName}.`,
    ),
  }
}

function explained(what: Html, next: string): Html {
  return html`<p>${what}</p><p class="next">${next}</p>`
}

function who({ payee }: SessionView): Html {
  return html`<strong>${payee.agentName}</strong> (@${payee.handle}, ${payee.platformName})`
}

/** For a link without a session: mistyped or cut off. */
export function unknownPage(): Html {
  return html`<main class="frame"><section class="sheet result quiet">
<div class="badge">${ICONS.search}</div>
<h1>We cannot find this payment</h1>
<p>The link may be cut off or mistyped. Nothing was taken.</p>
<p class="next">Open the link again from the message that brought it, or ask who sent it for a new one.</p>
</section></main>`
}

/** For a client address over its rate limit. */
export function busyPage(): Html {
  return html`<main class="frame"><section class="sheet result quiet">
<div class="badge">${ICONS.clock}</div>
<h1>Too many requests</h1>
<p>This page was asked for too often from your network. A payment that you have approved is safe.</p>
<p class="next">Load the page again in a minute.</p>
</section></main>`
}

/** For an error of our own while a page is rendered. */
export function brokenPage(): Html {
  return html`<main class="frame"><section class="sheet result bad">
<div class="badge">${ICONS.alert}</div>
<h1>Something went wrong here</h1>
<p>This page could not be shown. A payment that you have approved is safe.</p>
<p class="next">Load the page again in a moment.</p>
</section></main>`
}
