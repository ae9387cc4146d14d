import { AuditVerification, FORMATS, getConsistency } from '@batua/contract'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Static } from 'typebox'
import { openCheckpoint, originOf, parseCheckpoint, type TreeHead } from './checkpoint.ts'
import { isoTime } from './key-span.ts'
import { aboutKey, type PublishedKey, type PublishedKeys } from './published-keys.ts'
import { canonicalJson } from './signatures.ts'
import { leafHash } from './tree-hashes.ts'
import {
  type Doubt,
  forged,
  isDoubt,
  shown,
  unclear,
  type VerificationResult,
} from './verification-result.ts'
import { verifyConsistency, verifyInclusion } from './verify-proof.ts'

/** A tree head and the published key that signed it. */
interface Checkpoint extends TreeHead {
  readonly origin: string
  readonly key: PublishedKey
}

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, formats: FORMATS })
const isVerification = ajv.compile<Static<typeof AuditVerification>>(AuditVerification)
const isConsistency = ajv.compile<Static<typeof getConsistency.response>>(getConsistency.response)

const OTHER_TREE =
  'whether the service shows others another log; keep a checkpoint, compare it with theirs and ask for consistency later'

/** Checks a checkpoint of the log in the form of a C2SP signed note. */
export function checkCheckpoint(note: string, keys: PublishedKeys): VerificationResult {
  const checkpoint = open(note, keys)
  if (isDoubt(checkpoint)) return checkpoint
  const revoked = revokedSigner(checkpoint)
  if (revoked !== null) return revoked
  return {
    kind: 'genuine',
    says: `checkpoint of the log ${shown(checkpoint.origin)} with ${checkpoint.size} entries, ${signedBy(checkpoint)}`,
    checked: ['the Ed25519 signature of the checkpoint', ...aboutKey(checkpoint.key)],
    unknowable: [OTHER_TREE],
  }
}

/** Checks the response of `GET /v1/audit/verify`: an entry, and the proof that the log of a checkpoint contains it. */
export function checkAuditEntry(value: unknown, keys: PublishedKeys): VerificationResult {
  if (!isVerification(value))
    return forged(`it is no audit entry with its proof: ${shown(ajv.errorsText(isVerification.errors))}`)
  const { entry, leaf_index, tree_size, root_hash, inclusion_proof } = value
  if (value.reason === 'pending')
    return unclear('no checkpoint covers this entry yet; ask for it again in a few seconds')
  if (value.reason === 'not_found') return unclear('the service knew no such entry; check the id')
  if (!value.valid || value.reason !== 'ok')
    return forged(`the service itself says that it is not (${value.reason})`)
  if (entry === null || leaf_index === null || value.checkpoint === null)
    return unclear('the entry, its place or the checkpoint is missing; save the whole response')
  const checkpoint = open(value.checkpoint, keys)
  if (isDoubt(checkpoint)) return checkpoint
  const revoked = revokedSigner(checkpoint)
  if (revoked !== null) return revoked
  if (checkpoint.size !== tree_size || checkpoint.root.toString('hex') !== root_hash)
    return forged('its tree size or root hash is not that of the checkpoint')
  const { hash, ...content } = entry
  const proof = inclusion_proof.map(fromHex)
  const inclusion = { leaf: fromHex(hash), index: leaf_index, size: checkpoint.size, proof }
  if (!verifyInclusion(inclusion, checkpoint.root))
    return forged('its proof does not lead to the root of the checkpoint')
  const place = `the log ${shown(checkpoint.origin)} of ${checkpoint.size} entries has the hash ${hash} at place ${leaf_index}`
  if (leafHash(canonicalJson(content)) !== hash) {
    if (content.data !== null) return forged('its hash does not fit what it says')
    return unclear(
      'this copy leaves out the data of the entry, and the hash covers it; ask a person who may see the agent’s trail for their copy',
      [place, `the checkpoint is ${signedBy(checkpoint)}`],
    )
  }
  return {
    kind: 'genuine',
    says: `audit entry ${entry.audit_id} (${shown(entry.action)} of ${shown(entry.target)} at ${entry.created_at}), number ${leaf_index} in the log ${shown(checkpoint.origin)}, whose checkpoint is ${signedBy(checkpoint)}`,
    checked: [
      'the hash of the entry over its canonical JSON',
      'the inclusion proof from that hash to the root of the checkpoint',
      'the Ed25519 signature of the checkpoint',
      ...aboutKey(checkpoint.key),
    ],
    unknowable: [OTHER_TREE],
  }
}

/** Checks the response of `GET /v1/audit/consistency` with its two checkpoints. */
export function checkConsistency(
  value: unknown,
  notes: { readonly from: string; readonly to: string } | null,
  keys: PublishedKeys,
): VerificationResult {
  if (!isConsistency(value))
    return forged(`it is no consistency proof: ${shown(ajv.errorsText(isConsistency.errors))}`)
  if (notes === null)
    return unclear(
      'a consistency proof stands between two checkpoints; name their files with --from and --to',
    )
  const from = open(notes.from, keys)
  if (isDoubt(from)) return about('the checkpoint of --from', from)
  const to = open(notes.to, keys)
  if (isDoubt(to)) return about('the checkpoint of --to', to)
  // An earlier head that a revoked key signed is proven by the later one.
  const revoked = revokedSigner(to)
  if (revoked !== null) return about('the checkpoint of --to', revoked)
  if (from.origin !== to.origin) return forged('the two checkpoints are of two logs')
  if (from.size !== value.from || to.size !== value.to) {
    return unclear(
      `it is a proof from ${value.from} to ${value.to} entries, and the checkpoints have ${from.size} and ${to.size}; ask for the proof between those`,
    )
  }
  const roots = { fromRoot: from.root, toRoot: to.root }
  if (!verifyConsistency({ from: from.size, to: to.size, ...roots, proof: value.proof.map(fromHex) }))
    return forged('the proof does not lead from the one checkpoint to the other')
  return {
    kind: 'genuine',
    says: `the log ${shown(to.origin)} only grew from ${from.size} to ${to.size} entries, the later checkpoint ${signedBy(to)}`,
    checked: [
      'the Ed25519 signatures of both checkpoints',
      'the consistency proof from the root of the one to the root of the other',
    ],
    unknowable: [OTHER_TREE],
  }
}

function about(what: string, doubt: Doubt): Doubt {
  return { ...doubt, because: `${what}: ${doubt.because}` }
}

/** A key set does not name the service; then the origin is the one that its key has signed. */
function open(note: string, { service, byId }: PublishedKeys): Checkpoint | Doubt {
  const parsed = parseCheckpoint(note)
  if (parsed === null) return forged('its checkpoint is not a signed note of a log')
  const origin = service === null ? parsed.origin : originOf(service)
  if (parsed.origin !== origin) {
    return unclear(
      `its checkpoint is of the log ${shown(parsed.origin)}, and the key document is ${shown(service ?? '')}’s; fetch the key document of the service that has this log`,
    )
  }
  const goodFirst = [...byId.values()].toSorted(
    (a, b) => Number(a.revokedAt !== null) - Number(b.revokedAt !== null),
  )
  for (const key of goodFirst) {
    const head = openCheckpoint(note, origin, [key.publicKey])
    if (head !== null) return { ...head, origin, key }
  }
  return forged(
    'no key of the key document has signed its checkpoint; if the document is old, fetch it again',
  )
}

/** A checkpoint has no date, so one by a revoked key may be of any time; null when the key is not revoked. */
function revokedSigner({ key }: Checkpoint): Doubt | null {
  if (key.revokedAt === null) return null
  return unclear(
    `its checkpoint is signed with the key ${shown(key.id)}, which is revoked since ${isoTime(key.revokedAt)}; it counts only with a consistency proof to a checkpoint of another key`,
  )
}

function signedBy({ origin, key }: Checkpoint): string {
  return `signed by ${shown(origin.replace(/\/audit$/, ''))} with key ${shown(key.id)}`
}

function fromHex(hash: string): Buffer {
  return Buffer.from(hash, 'hex')
}
