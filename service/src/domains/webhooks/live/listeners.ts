import type { Uuid } from '../../../kernel/ids.ts'
import type { Audience } from './store.ts'
import type { Concerned } from './subjects.ts'

/**
 * The open streams by the owner or platform whose events they have. They are sorted when they are opened, so that an event
 * costs as much as it has listeners, however many streams are open.
 */
export interface Listeners<Stream extends { readonly audience: Audience }> {
  readonly all: ReadonlySet<Stream>
  add(stream: Stream): void
  delete(stream: Stream): void
  /** The streams of an owner and of a platform. Administrators are not among them. */
  of(concerned: Concerned): Stream[]
  readonly admins: ReadonlySet<Stream>
}

export function openListeners<Stream extends { readonly audience: Audience }>(): Listeners<Stream> {
  const all = new Set<Stream>()
  const admins = new Set<Stream>()
  const byParty = new Map<Uuid, Set<Stream>>()
  const streamsOf = (party: Uuid | null) => [...((party === null ? undefined : byParty.get(party)) ?? [])]
  return {
    all,
    admins,
    add(stream) {
      all.add(stream)
      if (stream.audience.kind === 'admin') admins.add(stream)
      for (const party of partiesOf(stream.audience)) {
        byParty.set(party, (byParty.get(party) ?? new Set()).add(stream))
      }
    },
    delete(stream) {
      all.delete(stream)
      admins.delete(stream)
      for (const party of partiesOf(stream.audience)) {
        const rest = byParty.get(party)
        rest?.delete(stream)
        if (rest?.size === 0) byParty.delete(party)
      }
    },
    of: ({ ownerId, platformId }) => [...streamsOf(ownerId), ...streamsOf(platformId)],
  }
}

function partiesOf(audience: Audience): readonly Uuid[] {
  switch (audience.kind) {
    case 'admin':
      return []
    case 'platform':
      return [audience.platformId]
    case 'owner':
      return audience.ownerIds
  }
}
