import { expect, test } from 'vitest'
import { newUuid } from '../../../kernel/ids.ts'
import { openSenders } from './senders.ts'

test('connections are kept open for a platform’s next worker, for at most 1,024 platforms', async () => {
  const senders = openSenders('sandbox')
  const platforms = Array.from({ length: 1_030 }, () => newUuid(new Date()))
  const used = platforms.map(id => senders.of(id))
  for (const id of platforms) senders.release(id)
  const kept = platforms.filter((id, index) => senders.of(id) === used[index])
  expect(kept.length).toBe(1_024)
  await senders.close()
})
