import type { Owner } from '@batua/sdk'
import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../api/use-act.ts'
import { Confirm } from '../components/confirm.tsx'
import { Dialog } from '../components/dialog.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { useTextFields } from '../components/text-fields.tsx'
import { componentTexts } from '../components/texts.ts'
import { sayDone } from '../components/toasts.tsx'
import { useTexts } from '../language/language.tsx'
import { newAgentTexts } from './create-agent-texts.ts'
import { OwnerSelect } from './owners/owner-select.tsx'

interface CreateAgentProps {
  /** Whose agent it will be; absent: it is asked. */
  readonly owner?: Pick<Owner, 'owner_id' | 'name'>
  /** It is what the page is for. */
  readonly isMain?: boolean
}

/** The button that asks for a new agent, and then shows its key once. */
export function CreateAgent({ owner, isMain = owner === undefined }: CreateAgentProps) {
  const t = useTexts(newAgentTexts)
  const [isAsked, ask] = useState(false)
  const isListed = owner !== undefined
  return (
    <>
      <Button
        size={isListed ? 'sm' : 'md'}
        variant={isMain ? 'filled' : 'default'}
        {...(isListed && { 'aria-label': t.createFor(owner.name) })}
        onClick={() => ask(true)}
      >
        {isListed ? t.createShort : t.create}
      </Button>
      {isAsked && <NewAgent {...(isListed && { owner })} onClose={() => ask(false)} />}
    </>
  )
}

function NewAgent({ owner, onClose }: CreateAgentProps & { readonly onClose: () => void }) {
  const t = useTexts(newAgentTexts)
  const { close } = useTexts(componentTexts)
  const [ownerId, setOwnerId] = useState(owner?.owner_id ?? '')
  const [isChecked, setChecked] = useState(false)
  const { values, check, inputs } = useTextFields({
    name: { label: t.name, wrong: text => text === '' && t.nameWrong },
    handle: {
      ...{ label: t.handle, hint: t.handleHint },
      wrong: text => !/^@?[a-z][a-z0-9_-]{2,31}$/i.test(text) && t.handleWrong,
    },
  })
  const create = useAct('createAgent')
  if (create.data !== undefined) {
    const stored = () => {
      onClose()
      sayDone(t.isCreated(create.data.name))
    }
    return (
      <Dialog
        opened
        onClose={stored}
        title={t.isCreated(create.data.name)}
        closeButtonProps={{ 'aria-label': close }}
      >
        <ShownOnce what={t.key} secret={create.data.agent_key} onStored={stored}>
          {t.once}
        </ShownOnce>
      </Dialog>
    )
  }
  return (
    <Confirm
      opened
      title={owner === undefined ? t.create : t.createFor(owner.name)}
      act={t.createAct}
      acting={create.isPending}
      error={create.error}
      onAct={() => {
        setChecked(true)
        if (check() && ownerId !== '') create.mutate({ ...values, owner_id: ownerId })
      }}
      onClose={onClose}
    >
      <Text>{t.createText}</Text>
      {owner === undefined && (
        <OwnerSelect
          value={ownerId}
          onChange={setOwnerId}
          error={isChecked && ownerId === '' && t.ownerWrong}
        />
      )}
      {inputs}
    </Confirm>
  )
}
