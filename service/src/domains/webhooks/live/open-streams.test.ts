import { describe, expect, test } from 'vitest'
import { AppError } from '../../../kernel/app-error.ts'
import { countOpenStreams } from './open-streams.ts'

function expectRefusal(take: () => unknown, code: string): void {
  expect(take).toThrow(AppError)
  expect(take).toThrow(expect.objectContaining({ code }))
}

describe('the streams that are open', () => {
  test('of one credential are limited, and a closed one makes room', () => {
    const streams = countOpenStreams({ perNetwork: 0, perNode: 0 })
    const taken = Array.from({ length: 32 }, (_, i) => streams.take('a', `network ${i}`))
    expectRefusal(() => streams.take('a', 'another'), 'rate_limit_exceeded')
    streams.take('b', 'another')
    taken[0]?.()
    streams.take('a', 'another')
    expectRefusal(() => streams.take('a', 'another'), 'rate_limit_exceeded')
  })

  test('from one network are limited, whatever the credentials', () => {
    const streams = countOpenStreams({ perNetwork: 3, perNode: 0 })
    const taken = [1, 2, 3].map(i => streams.take(`credential ${i}`, 'n'))
    expectRefusal(() => streams.take('credential 4', 'n'), 'rate_limit_exceeded')
    streams.take('credential 4', 'm')
    taken[1]?.()
    streams.take('credential 5', 'n')
  })

  test('on one node are limited, and a refused one takes no place', () => {
    const streams = countOpenStreams({ perNetwork: 0, perNode: 2 })
    const first = streams.take('a', 'n')
    streams.take('b', 'm')
    for (let i = 0; i < 3; i++) expectRefusal(() => streams.take('c', `n ${i}`), 'service_unavailable')
    first()
    streams.take('c', 'n')
    expect(() => streams.take('d', 'n')).toThrow('Too many streams')
  })
})
