import { isDeepStrictEqual } from 'node:util'
import {
  eachControl,
  eachTierLimit,
  POLICY_CONTROLS,
  POLICY_LAYERS,
  type PolicyControl,
  type PolicyLayer,
  TIERS,
  type Tier,
} from '@batua/contract'
import { assert } from '../../kernel/assert.ts'
import { type Paise, requirePaise, rupees } from '../../kernel/money.ts'
import type { Vault } from '../../kernel/secrets.ts'
import { canonicalJson } from '../../kernel/signing.ts'
import { kindOf, OPEN_POLICY, policyOfTier, type SpendPolicy, type TierLimits } from './controls.ts'
import { type Layer, layerOf } from './layers.ts'

/** What the layers of an agent set, as they are stored. */
export interface PolicyParts {
  readonly tier: TierLimits
  /** null: the owner has set no policy. */
  readonly owner: SpendPolicy | null
  /** The budget in an organization; null: none. */
  readonly budgetPaise: Paise | null
  readonly agent: SpendPolicy
}

/** The layers that decide about the agent's payments, the general ones first. */
export function layersOf({ tier, owner, budgetPaise, agent }: PolicyParts): Layer[] {
  const layers = [layerOf('tier', policyOfTier(tier))]
  if (owner !== null) layers.push(layerOf('owner', owner))
  if (budgetPaise !== null) layers.push(layerOf('org', { ...OPEN_POLICY, spend_limit_monthly: budgetPaise }))
  layers.push(layerOf('agent', agent))
  return layers
}

/** The value of a control as it is shown; amounts in INR. */
export type ShownValue = number | string | string[]

/** What one layer sets: only the controls that it sets, so that a control that is added later changes no old version. */
export interface LayerContent {
  readonly layer: PolicyLayer
  readonly set: { readonly [control: string]: ShownValue }
}

/** A layer with the digest under which it is stored. */
export interface StoredLayer {
  readonly content: LayerContent
  readonly digest: Buffer
}

/** An effective policy: its layers that set something, the general ones first. Equal policies have equal digests. */
export interface EffectiveVersion {
  readonly digest: Buffer
  readonly layers: readonly StoredLayer[]
}

export function effectiveVersion(vault: Vault, parts: PolicyParts): EffectiveVersion {
  const layers = contentsOf(parts).map(content => ({ content, digest: digestOf(vault, content) }))
  const named = layers.map(({ content, digest }) => [content.layer, digest.toString('hex')])
  return { digest: vault.rowMac(JSON.stringify(['policy_version', ...named])), layers }
}

/** The version as callers see it; `shownVersionIn` is the same in SQL. */
export function shownVersion(digest: Buffer): string {
  return digest.toString('base64url')
}

/** The SQL expression of the version as callers see it. */
export function shownVersionIn(digest: string): string {
  return `translate(rtrim(encode(${digest}, 'base64'), '='), '+/', '-_')`
}

/** The digest of a layer. It is keyed, so that nobody finds a policy by trying, and it proves a stored layer. */
export function digestOf(vault: Vault, { layer, set }: LayerContent): Buffer {
  const sorted = Object.entries(set).map(([control, value]) => [
    control,
    Array.isArray(value) ? value.toSorted() : value,
  ])
  return vault.rowMac(`policy_layer${canonicalJson({ layer, set: Object.fromEntries(sorted) })}`)
}

function contentsOf({ tier, owner, budgetPaise, agent }: PolicyParts): LayerContent[] {
  const contents: LayerContent[] = [
    { layer: 'tier', set: { tier: tier.tier, ...setIn(policyOfTier(tier)) } },
    { layer: 'owner', set: setIn(owner ?? OPEN_POLICY) },
    { layer: 'org', set: budgetPaise === null ? {} : { budget_limit: rupees(budgetPaise) } },
    { layer: 'agent', set: setIn(agent) },
  ]
  return contents.filter(({ set }) => Object.keys(set).length > 0)
}

function setIn(policy: SpendPolicy): LayerContent['set'] {
  const set = POLICY_CONTROLS.flatMap(control => {
    const value = policy[control]
    const shown = kindOf(control).shown(value)
    return shown === null || isDeepStrictEqual(value, OPEN_POLICY[control]) ? [] : [[control, shown]]
  })
  return Object.fromEntries(set)
}

/** The layers that these contents describe, as decisions read them. */
export function layersFrom(contents: readonly LayerContent[]): Layer[] {
  return layersOf(partsFrom(contents))
}

/** What the layers set, from their stored contents. */
export function partsFrom(contents: readonly LayerContent[]): PolicyParts {
  const setBy = (layer: PolicyLayer) => contents.find(each => each.layer === layer)?.set
  const [tier, owner, org] = [setBy('tier') ?? {}, setBy('owner'), setBy('org')]
  return {
    tier: { ...tierLimitsIn(tier), tier: tierNamed(contents) },
    owner: owner === undefined ? null : policyFrom(owner),
    budgetPaise: org === undefined ? null : requirePaise(Number(org['budget_limit']), 'budget_limit'),
    agent: policyFrom(setBy('agent') ?? {}),
  }
}

function policyFrom(set: LayerContent['set']): SpendPolicy {
  return eachControl<SpendPolicy>(control => {
    const shown = set[control]
    const { open, stored } = kindOf(control)
    return shown === undefined ? open : stored(typeof shown === 'string' ? [shown] : shown)
  })
}

function tierLimitsIn(set: LayerContent['set']): Omit<TierLimits, 'tier'> {
  return eachTierLimit(control => requirePaise(Number(set[control]), control))
}

/** The tier whose limits the tier layer has. */
export function tierNamed(contents: readonly LayerContent[]): Tier {
  const set = contents.find(({ layer }) => layer === 'tier')?.set
  const tier = TIERS.find(each => each === set?.['tier'])
  assert(tier !== undefined, 'the layer of a tier names it')
  return tier
}

/** One control of one layer that a change set. null: the layer sets nothing. */
export interface ControlChange {
  readonly layer: PolicyLayer
  readonly control: PolicyControl | 'budget_limit' | 'tier'
  readonly from: ShownValue | null
  readonly to: ShownValue | null
}

const CONTROLS_OF_LAYERS = ['tier', 'budget_limit', ...POLICY_CONTROLS] as const

/** What changed between two effective policies; everything that the first one of an agent sets is a change. */
export function changesBetween(
  before: readonly LayerContent[],
  after: readonly LayerContent[],
): ControlChange[] {
  const setBy = (contents: readonly LayerContent[], layer: PolicyLayer) =>
    contents.find(each => each.layer === layer)?.set ?? {}
  return POLICY_LAYERS.flatMap(layer => {
    const [was, is] = [setBy(before, layer), setBy(after, layer)]
    return CONTROLS_OF_LAYERS.flatMap(control => {
      const [from, to] = [was[control] ?? null, is[control] ?? null]
      return isDeepStrictEqual(from, to) ? [] : [{ layer, control, from, to }]
    })
  })
}
