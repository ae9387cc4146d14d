import { QRCodeSVG } from 'qrcode.react'
import classes from './qr-code.module.css'

interface QrCodeProps {
  readonly content: string
  readonly label: string
}

/** Dark on white in both schemes, with the quiet zone of the standard: other codes are not read by every app. */
export function QrCode({ content, label }: QrCodeProps) {
  return (
    <div className={classes.frame}>
      <QRCodeSVG
        value={content}
        level="M"
        marginSize={4}
        role="img"
        aria-label={label}
        className={classes.code}
      />
    </div>
  )
}
