import { expect, test } from 'vitest'
import { newUuid } from '../../../kernel/ids.ts'
import { openSenders } from './senders.ts'

test('a platform’s connections are kept for its next turn, but not those of any number of platforms', async () => {
  const senders = openSenders('sandbox')
  const platforms = Array.from({ length: 1_030 }, () => newUuid(new Date()))
  const used = platforms.map(id => senders.of(id))
  for (const id of platforms) senders.rest(id)
  const kept = platforms.filter((id, index) => senders.of(id) === used[index])
  expect(kept.length).toBe(1_024)
  await senders.close()
})
