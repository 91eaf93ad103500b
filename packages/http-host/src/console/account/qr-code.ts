/** A QR code as one path of SVG. */
import { encodeQR } from 'qr';

const QUIET = 4;

/** The side in modules with the quiet zone around it, and the dark modules as a path. */
export function qrCode(text: string): { readonly side: number; readonly path: string } {
  const rows = encodeQR(text, 'raw', { border: QUIET, ecc: 'medium' });
  const path = rows
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return { side: rows.length, path };
}
