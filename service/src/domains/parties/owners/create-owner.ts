import type { BodyOf, createOwner as createOwnerRoute } from '@batua/contract'
import { AppError, type Refusal, raise, refuse } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import { formatId, newUuid, type Uuid } from '../../../kernel/ids.ts'
import { recordFacts } from '../../../operations/facts.ts'
import type { OwnersContext } from './context.ts'
import { createdFact } from './facts.ts'
import { normalisePan, normalisePhone } from './normalise.ts'
import { encryptPersonal, personalIndex } from './personal-data.ts'
import { insertOwner, type Owner, selectSameOwner } from './store.ts'

type CreateOwner = BodyOf<typeof createOwnerRoute>

interface Person {
  readonly kind: 'person'
  readonly name: string
  readonly phone: string
  readonly pan: string
  readonly email: string | null
}

/** The person's data in normal form, by which duplicates are found. */
export function decidePerson(request: CreateOwner): Refusal | Person {
  const phone = normalisePhone(request.phone)
  if (phone === null) {
    return refuse(
      'validation_error',
      'A phone is an Indian mobile number: 10 digits, the first from 6 to 9',
      {
        field: 'phone',
      },
    )
  }
  const pan = normalisePan(request.pan)
  if (pan === null) {
    return refuse('validation_error', 'A PAN has five letters, four digits and one letter', { field: 'pan' })
  }
  return { kind: 'person', name: request.name.normalize('NFC'), phone, pan, email: request.email ?? null }
}

/** Creates an owner for a platform. A second one with the same phone or PAN is a conflict that names the first. */
export async function createOwner(
  { database, clock, vault }: OwnersContext,
  platformId: Uuid,
  request: CreateOwner,
): Promise<Owner> {
  const person = decidePerson(request)
  if (person.kind === 'refusal') raise(person)
  const now = clock.now()
  const id = newUuid(now)
  const identity = {
    platformId,
    phoneIndex: personalIndex(vault, 'phone', person.phone),
    panIndex: personalIndex(vault, 'pan', person.pan),
  }
  const owner = await database.inTransaction(async tx => {
    const inserted = await insertOwner(tx, vault, {
      ...identity,
      id,
      name: person.name,
      phone: encryptPersonal(vault, id, 'phone', person.phone),
      email: person.email === null ? null : encryptPersonal(vault, id, 'email', person.email),
      pan: encryptPersonal(vault, id, 'pan', person.pan),
      createdAt: now,
    })
    if (inserted === null) return null
    await recordFacts(tx, vault, now, [createdFact(inserted.owner)], inserted.versions)
    return inserted.owner
  })
  if (owner !== null) return owner

  // Owners are never deleted, so the existing one is still there.
  const existing = await selectSameOwner(database, identity)
  assert(existing !== null, 'the owner that caused the conflict exists')
  const ownerId = formatId('own', existing)
  throw new AppError('conflict', `This platform already has an owner with this phone or PAN: ${ownerId}`, {
    details: { owner_id: ownerId },
  })
}
