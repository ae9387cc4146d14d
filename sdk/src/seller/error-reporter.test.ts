import { afterEach, expect, test, vi } from 'vitest'
import { errorReporterOf } from './error-reporter.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('an error without an onError is a warning of the process', () => {
  const emitWarning = vi.spyOn(process, 'emitWarning').mockReturnValue()
  const report = errorReporterOf(undefined)
  const error = new Error('the refund failed')
  report(error)
  report('text')
  expect(emitWarning.mock.calls).toEqual([[error], ['text']])
})

test('an error without an onError is written to the console if there is no process', () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue()
  vi.stubGlobal('process', undefined)
  errorReporterOf(undefined)('text')
  vi.unstubAllGlobals()
  expect(warn.mock.calls).toEqual([['text']])
})

test('an onError that throws ends nothing', async () => {
  const failed = vi.fn<() => void>()
  process.once('unhandledRejection', failed)
  const throwing = () => {
    throw new Error('the log is full')
  }
  for (const onError of [throwing, async () => throwing()]) errorReporterOf(onError)('text')
  await new Promise(resolve => setImmediate(resolve))
  process.off('unhandledRejection', failed)
  expect(failed).not.toHaveBeenCalled()
})
