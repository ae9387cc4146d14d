import { Button, Modal, Stack, useMantineColorScheme } from '@mantine/core'
import type { Session } from '../api/api.tsx'
import { Choice } from '../components/choice.tsx'
import { Icon } from '../components/icon.tsx'
import { componentTexts } from '../components/texts.ts'
import { useLanguage, useTexts } from '../language/language.tsx'
import { LANGUAGES } from '../language/texts.ts'
import { useLogOut } from '../login/use-log-out.ts'
import { shellTexts } from './texts.ts'

interface PreferencesProps {
  readonly opened: boolean
  readonly onClose: () => void
  /** Whose session can be ended here; null where nobody is logged in. */
  readonly session: Session | null
}

/** Colours, language, and the way out. */
export function Preferences({ opened, onClose, session }: PreferencesProps) {
  const t = useTexts(shellTexts)
  const { close } = useTexts(componentTexts)
  const { language, speak } = useLanguage()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Modal opened={opened} onClose={onClose} title={t.preferences} closeButtonProps={{ 'aria-label': close }}>
      <Stack>
        <Choice
          isField
          label={t.appearance}
          value={colorScheme}
          options={{ auto: t.auto, light: t.light, dark: t.dark }}
          onChange={setColorScheme}
        />
        <Choice
          isField
          label={t.language}
          value={language}
          options={{ en: LANGUAGES.en.name, hi: LANGUAGES.hi.name }}
          onChange={speak}
        />
        {session !== null && <LogOut session={session} />}
      </Stack>
    </Modal>
  )
}

function LogOut({ session }: { readonly session: Session }) {
  const t = useTexts(shellTexts)
  return (
    <Button
      variant="default"
      mt="sm"
      leftSection={<Icon name="logOut" size={18} />}
      onClick={useLogOut(session)}
    >
      {t.logOut}
    </Button>
  )
}
