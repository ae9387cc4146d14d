import { literalAddress, mayConnectTo } from '@batua/outgoing'
import { type Refusal, refuse } from '../../../kernel/app-error.ts'

/** Refuses an unsuitable address that a caller names in `field`, to which the service is to send. Each connection checks again that the address of a host name is public. */
export function decideWebhookUrl(
  text: string,
  mode: 'sandbox' | 'live',
  field = 'webhook_url',
): Refusal | { kind: 'url'; url: string } {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return refuseUrl(field, 'must be an http or https address')
  }
  if (mode === 'live' && url.protocol !== 'https:') return refuseUrl(field, 'must begin with https://')
  if (url.username !== '' || url.password !== '')
    return refuseUrl(field, 'must hold no user name or password')
  const address = literalAddress(url)
  if (mode === 'live' && address !== null && !mayConnectTo(address, mode)) {
    return refuseUrl(field, 'must be at a public address')
  }
  return { kind: 'url', url: text }
}

function refuseUrl(field: string, need: string): Refusal {
  return refuse('validation_error', `${field} ${need}`, { field })
}
