import { Clapperboard } from "lucide-react";

/** A video's picture, from our own server; a plain frame while it has none. */
export function Thumbnail({ src, className = "" }: { src: string | null; className?: string }) {
  const frame = `aspect-video shrink-0 overflow-hidden rounded-lg border border-line bg-raised ${className}`;
  if (src) return <img src={src} alt="" loading="lazy" className={`${frame} object-cover`} />;
  return (
    <div className={`${frame} grid place-items-center text-faint`}>
      <Clapperboard size={20} aria-hidden="true" />
    </div>
  );
}
