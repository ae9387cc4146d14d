import { useNetwork } from '@mantine/hooks'
import { Icon } from '../components/icon.tsx'
import { useTexts } from '../language/language.tsx'
import classes from './ribbon.module.css'
import { shellTexts } from './texts.ts'

/** Says that the device has no network, while it has none. */
export function OfflineNotice() {
  const t = useTexts(shellTexts)
  const { online } = useNetwork()
  return (
    <div role="status">
      {!online && (
        <p className={classes.ribbon} data-kind="offline">
          <Icon name="offline" size={18} />
          {t.offline}
        </p>
      )}
    </div>
  )
}
