import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { createLogger, hideValues } from './logger.ts'

function linesOf(write: (logger: ReturnType<typeof createLogger>) => void): string {
  const lines: string[] = []
  write(createLogger('info', { write: line => void lines.push(line) }))
  return lines.join('')
}

test('fields that hold secrets or personal data are hidden by name', () => {
  const text = linesOf(logger =>
    logger.info(
      { pan: 'ABCDE1234F', phone: '9876543210', agent_key: 'agk_live_x', headers: { cookie: 'a' } },
      'x',
    ),
  )
  for (const value of ['ABCDE1234F', '9876543210', 'agk_live_x', 'cookie']) expect(text).not.toContain(value)
})

test('an error is logged with type, message, stack and cause, without properties that a driver adds', () => {
  const error = Object.assign(new Error('duplicate key', { cause: new Error('below') }), {
    code: '23505',
    detail: 'Key (email)=(asha@example.com) already exists.',
  })
  const text = linesOf(logger => logger.error({ err: error }, 'failed'))
  expect(JSON.parse(text).err).toMatchObject({
    message: 'duplicate key',
    error_code: '23505',
    cause: { message: 'below' },
  })
  expect(text).not.toContain('asha@example.com')
})

test.each([
  ['the key agk_live_abc-DEF_1 is gone', 'the key agk_live_[hidden] is gone'],
  ['cookie: a=1; service_session=ses_live_x-1; b=2', 'cookie: a=1; service_session=[hidden]; b=2'],
  ['service_admin_session=%73', 'service_admin_session=[hidden]'],
  ['the session ses_live_abc-DEF_1 is over', 'the session ses_live_[hidden] is over'],
  ['PAN ABCDE1234F', 'PAN [pan]'],
  ['phone 9876543210, account 123456789012', 'phone [number], account [number]'],
  [
    'took 1500 ms at 01890000-0000-7000-8000-000000000001',
    'took 1500 ms at 01890000-0000-7000-8000-000000000001',
  ],
])('a text is logged without what is confidential in it: %s', (text, hidden) => {
  expect(hideValues(text)).toBe(hidden)
})

test.each(['process.exit(0)', "throw new Error('crash')"])(
  'what waits in memory is written when the process ends by %s',
  end => {
    const source = `import { createLogger } from '${import.meta.dirname}/logger.ts'
    const logger = createLogger('info')
    await new Promise(resolve => setTimeout(resolve, 50))
    logger.info({}, 'last words')
    ${end}`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', source], {
      encoding: 'utf8',
    })
    expect(stdout).toContain('last words')
  },
)
