import { expect, test } from 'vitest'
import { decideWebhookUrl } from './webhook-url.ts'

test.each([
  'https://example.com/hook?a=1',
  'https://example.com:8443/',
  'https://8.8.8.8/hook',
  'https://[2606:4700:4700::1111]/hook',
])('the webhook URL %s is accepted unchanged in both modes', url => {
  for (const mode of ['sandbox', 'live'] as const) {
    expect(decideWebhookUrl(url, mode)).toEqual({ kind: 'url', url })
  }
})

test.each([
  'https://127.0.0.1/',
  'https://127.1/',
  'https://0x7f000001/',
  'https://2130706433/',
  'https://10.0.0.1:8443/hook',
  'https://169.254.169.254/latest/',
  'https://[::1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://[fd00::1]/',
])('live mode refuses the webhook URL %s, which is not at a public address', url => {
  expect(decideWebhookUrl(url, 'live')).toMatchObject({
    kind: 'refusal',
    code: 'validation_error',
    field: 'webhook_url',
    message: 'webhook_url must be at a public address',
  })
  expect(decideWebhookUrl(url, 'sandbox')).toEqual({ kind: 'url', url })
})

test.each(['http://example.com/', 'http://8.8.8.8/'])(
  'live mode refuses the webhook URL %s, which is not https',
  url => {
    expect(decideWebhookUrl(url, 'live')).toMatchObject({ message: 'webhook_url must begin with https://' })
    expect(decideWebhookUrl(url, 'sandbox')).toEqual({ kind: 'url', url })
  },
)

test.each(['', 'hook', 'https://', 'ftp://example.com/', 'https://user:secret@example.com/'])(
  '%j is refused in either mode',
  url => {
    for (const mode of ['sandbox', 'live'] as const) {
      expect(decideWebhookUrl(url, mode)).toMatchObject({ kind: 'refusal', field: 'webhook_url' })
    }
  },
)
