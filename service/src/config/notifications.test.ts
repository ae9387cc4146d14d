import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { ConfigError, type Env } from './env-reader.ts'

const URL = 'http://127.0.0.1:9000/notify'

function problems(env: Env): readonly string[] {
  try {
    readConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

test('a sandbox without an address simulates messages, and a template of any provider describes real ones', () => {
  expect(readConfig({}).notifications).toEqual({ sender: { kind: 'sandbox' }, phones: null })
  const { sender, phones } = readConfig({ NOTIFY_HTTP_URL: URL, NOTIFY_HTTP_TOKEN: 'secret' }).notifications
  expect(phones).toBeNull()
  expect(sender).toMatchObject({
    kind: 'http',
    method: 'POST',
    url: URL,
    authHeader: 'authorization',
    body: { format: 'json', template: { phone: '{phone91}', text: '{text} {url}' } },
  })
})

test('a token in the address or the body is in no header', () => {
  const url = 'http://127.0.0.1:9000/bot{token}/sendMessage'
  const env = { NOTIFY_HTTP_URL: url, NOTIFY_HTTP_TOKEN: 'secret' }
  expect(readConfig(env).notifications.sender).toMatchObject({ authHeader: 'none' })
})

test.each([
  ['NOTIFY_HTTP_URL', { NOTIFY_HTTP_URL: 'https://hooks.slack.com/x' }],
  ['NOTIFY_HTTP_BODY', { NOTIFY_HTTP_URL: URL, NOTIFY_HTTP_BODY: '{"phone":"{phone}","text":"{text}"}' }],
  [
    'NOTIFY_HTTP_BODY',
    { NOTIFY_HTTP_URL: URL, NOTIFY_HTTP_BODY: '{"p":"{phone}","t":"{text} {url} {amount}"}' },
  ],
  ['NOTIFY_HTTP_BODY', { NOTIFY_HTTP_URL: URL, NOTIFY_HTTP_BODY: '"{phone} {text} {url}"' }],
  ['NOTIFY_HTTP_TOKEN', { NOTIFY_HTTP_URL: `${URL}?token={token}` }],
  ['NOTIFY_PHONES', { NOTIFY_HTTP_URL: URL, NOTIFY_HTTP_BODY: '{"text":"{text} {url}"}' }],
  ['NOTIFY_PHONES', { NOTIFY_PHONES: '12345' }],
] as const)('%s is refused in %j', (variable, env) => {
  expect(problems(env).map(line => line.split(':')[0])).toEqual([variable])
})

test('one place for all messages is accepted when the phones of its readers are named', () => {
  const env = {
    NOTIFY_HTTP_URL: URL,
    NOTIFY_HTTP_BODY: '{"text":"{text} {url}"}',
    NOTIFY_PHONES: '9876543210, 9876543211',
  }
  expect(readConfig(env).notifications.phones).toEqual(['9876543210', '9876543211'])
})
