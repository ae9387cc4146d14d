import type { OwnerAccountDetails, Tier } from '@batua/sdk'
import { Button, Group, NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../../api/use-act.ts'
import { Confirm } from '../../components/confirm.tsx'
import { componentTexts } from '../../components/texts.ts'
import { sayDone } from '../../components/toasts.tsx'
import { useTexts } from '../../language/language.tsx'
import { TIERS } from '../search.ts'
import { adminTexts } from '../texts.ts'
import { ownersTexts } from './texts.ts'

interface ActProps {
  readonly owner: OwnerAccountDetails
  readonly onClose: () => void
}

/** Freeze or unfreeze an owner, and set the tier. Each is asked once more. */
export function OwnerActs({ owner }: { readonly owner: OwnerAccountDetails }) {
  const t = useTexts(ownersTexts)
  const [asking, ask] = useState<'freeze' | 'unfreeze' | 'tier' | null>(null)
  const onClose = () => ask(null)
  const isFrozen = owner.status === 'frozen'
  return (
    <Group gap="sm">
      <Button variant="default" onClick={() => ask('tier')}>
        {t.setTier}
      </Button>
      {(isFrozen || owner.agents.frozen > 0) && <Button onClick={() => ask('unfreeze')}>{t.unfreeze}</Button>}
      {!isFrozen && (
        <Button color="red" onClick={() => ask('freeze')}>
          {t.freeze}
        </Button>
      )}
      {asking === 'freeze' && <Freeze owner={owner} onClose={onClose} />}
      {asking === 'unfreeze' && <Unfreeze owner={owner} onClose={onClose} />}
      {asking === 'tier' && <SetTier owner={owner} onClose={onClose} />}
    </Group>
  )
}

function Freeze({ owner: { owner_id, name, agents }, onClose }: ActProps) {
  const t = useTexts(ownersTexts)
  const freeze = useAct('freezeOwner', {
    onDone({ agents_affected }) {
      onClose()
      sayDone(t.isFrozen(agents_affected))
    },
  })
  return (
    <Confirm
      opened
      title={t.freezeTitle(name)}
      act={t.freeze}
      danger
      acting={freeze.isPending}
      error={freeze.error}
      onAct={() => freeze.mutate({ owner_id })}
      onClose={onClose}
    >
      <Text>{t.freezeText(agents.total - agents.deactivated - agents.frozen)}</Text>
    </Confirm>
  )
}

function Unfreeze({ owner: { owner_id, name }, onClose }: ActProps) {
  const t = useTexts(ownersTexts)
  const unfreeze = useAct('unfreezeOwner', {
    onDone({ agents_affected }) {
      onClose()
      sayDone(t.isUnfrozen(agents_affected))
    },
  })
  return (
    <Confirm
      opened
      title={t.unfreezeTitle(name)}
      act={t.unfreeze}
      acting={unfreeze.isPending}
      error={unfreeze.error}
      onAct={() => unfreeze.mutate({ owner_id })}
      onClose={onClose}
    >
      <Text>{t.unfreezeText}</Text>
    </Confirm>
  )
}

function SetTier({ owner: { owner_id, name, tier }, onClose }: ActProps) {
  const t = useTexts(ownersTexts)
  const { tier: label } = useTexts(adminTexts)
  const { tiers } = useTexts(componentTexts)
  const [chosen, choose] = useState<Tier>(tier)
  const setTier = useAct('setOwnerTier', {
    onDone() {
      onClose()
      sayDone(t.tierIsSet(name, tiers[chosen]))
    },
  })
  return (
    <Confirm
      opened
      title={t.setTierTitle(name)}
      act={t.setTierAct(tiers[chosen])}
      acting={setTier.isPending}
      error={setTier.error}
      onAct={() => (chosen === tier ? onClose() : setTier.mutate({ owner_id, tier: chosen }))}
      onClose={onClose}
    >
      <Text>{t.setTierText}</Text>
      <NativeSelect
        label={label}
        size="md"
        value={chosen}
        data={TIERS.map(value => ({ value, label: tiers[value] }))}
        onChange={event => choose(TIERS.find(each => each === event.currentTarget.value) ?? tier)}
      />
      {chosen !== tier && <Text fw={600}>{t.fromTo(tiers[tier], tiers[chosen])}</Text>}
    </Confirm>
  )
}
