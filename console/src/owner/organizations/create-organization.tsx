import type { Organization } from '@batua/sdk'
import { NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../../api/use-act.ts'
import { useRead } from '../../api/use-read.ts'
import { Choice } from '../../components/choice.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { sayDone } from '../../components/toasts.tsx'
import { useTexts } from '../../language/language.tsx'
import { organizationsTexts } from './texts.ts'

interface CreateOrganizationProps {
  readonly onCreated: (organization: Organization) => void
  readonly onClose: () => void
}

/** A new organization. A person who has agents on several platforms says whose agents it is for. */
export function CreateOrganization({ onCreated, onClose }: CreateOrganizationProps) {
  const t = useTexts(organizationsTexts)
  const owners = useRead('getSession', {}).data?.owners ?? []
  const [written, write] = useState('')
  const [tier, choose] = useState<Organization['tier']>('tier1')
  const [chosen, chooseOwner] = useState<string | null>(null)
  const [isChecked, check] = useState(false)
  const name = written.trim()
  const owner_id = chosen ?? owners[0]?.owner_id
  const create = useAct('createOrganization', {
    onDone(made) {
      onClose()
      sayDone(t.isCreated(made.name))
      onCreated(made)
    },
  })
  const submit = () => {
    check(true)
    if (name !== '') create.mutate({ name, tier, ...(owner_id !== undefined && { owner_id }) })
  }
  return (
    <Confirm
      opened
      title={t.create}
      act={t.create}
      acting={create.isPending}
      error={create.error}
      onAct={submit}
      onClose={onClose}
    >
      <TextInput
        label={t.name}
        description={t.nameHint}
        name="name"
        autoComplete="off"
        maxLength={100}
        value={written}
        onChange={event => write(event.currentTarget.value)}
        error={isChecked && name === '' && t.nameMissing}
      />
      <Choice isField label={t.size} value={tier} options={t.sizes} onChange={choose} />
      {owners.length > 1 && (
        <NativeSelect
          label={t.platform}
          value={owner_id ?? ''}
          data={owners.map(owner => ({
            value: owner.owner_id,
            label: `${owner.name} · …${owner.owner_id.slice(-6)}`,
          }))}
          onChange={event => chooseOwner(event.currentTarget.value)}
        />
      )}
    </Confirm>
  )
}
