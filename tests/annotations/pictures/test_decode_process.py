import io
import os
import signal
import subprocess
import sys

import pytest
from PIL import Image

from annotations.pictures import decode_process
from annotations.pictures.decode import NotTaken, decode
from annotations.pictures.decode_process import KILLED, ROOT, DecodeProcess, Decoders
from tests.annotations.pictures.test_store import png_claiming
from tests.annotations.pictures.test_strip_metadata import NOISE
from tests.waiting import wait_until

LIMIT = 50_000_000
# A decoder whose process is killed by pictures of one pixel, as lack of memory would.
FRAGILE = """
import os, signal, struct
from annotations.pictures import decode_process
real = decode_process.decode

def decode(content, *more):
    if struct.unpack_from(">II", content, 16) == (1, 1):
        os.kill(os.getpid(), signal.SIGKILL)
    return real(content, *more)

decode_process.decode = decode
decode_process.serve()
"""


def file(kind: str = "PNG", mode: str = "RGB", size: tuple[int, int] = (40, 30)) -> bytes:
    out = io.BytesIO()
    NOISE.convert(mode).resize(size).save(out, kind)
    return out.getvalue()


def is_alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as status:
            return status.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture
def process():
    process = DecodeProcess()
    yield process
    process.close()


def test_another_process_gives_what_this_one_gives(process):
    for kind, mode in (
        ("PNG", "RGB"),
        ("PNG", "P"),
        ("PNG", "LA"),
        ("JPEG", "L"),
        ("WEBP", "RGBA"),
    ):
        for orientation in (1, 6):
            asked = (file(kind, mode, (700, 300)), kind, orientation, LIMIT)
            assert process.decode(*asked) == decode(*asked)


def test_what_is_refused_is_refused_in_the_same_words(process):
    for content in (file()[:-20], png_claiming(9_000, 9_000), png_claiming(400, 400), b"\x89PNG"):
        with pytest.raises(NotTaken) as here:
            decode(content, "PNG", 1, LIMIT)
        with pytest.raises(NotTaken) as there:
            process.decode(content, "PNG", 1, LIMIT)
        assert str(here.value) == str(there.value)


def test_results_come_in_order_and_no_process_is_left_behind():
    widths = [10 + n % 7 for n in range(60)]
    files = [file(size=(width, 9)) for width in widths]
    with Decoders() as decoders:
        found = decoders.map(lambda f: decoders.decode(f, "PNG", 1, LIMIT), files, pictures=60)
        assert [decoded.width for decoded in found] == widths
        pids = [process._child.pid for process in decoders._processes]
    assert 1 <= len(pids) <= decode_process.cores()
    assert not any(is_alive(pid) for pid in pids)


def test_a_few_pictures_start_no_process():
    with Decoders() as decoders:
        files = [file()] * 5
        list(decoders.map(lambda f: decoders.decode(f, "PNG", 1, LIMIT), files, pictures=5))
        assert decoders._processes == []


def test_an_import_that_is_broken_off_leaves_no_process_behind():
    with pytest.raises(KeyboardInterrupt), Decoders() as decoders:
        files = [file()] * 100
        found = decoders.map(lambda f: decoders.decode(f, "PNG", 1, LIMIT), files, pictures=100)
        next(found)
        pids = [process._child.pid for process in decoders._processes]
        raise KeyboardInterrupt
    assert pids and not any(is_alive(pid) for pid in pids)


def test_a_picture_that_kills_its_process_is_refused_and_the_others_are_taken(monkeypatch):
    monkeypatch.setattr(decode_process, "COMMAND", [sys.executable, "-c", FRAGILE])
    files = [file(size=(1, 1) if n == 7 else (20, 20)) for n in range(20)]

    def width(content: bytes) -> int | str:
        try:
            return decoders.decode(content, "PNG", 1, LIMIT).width
        except NotTaken as error:
            return str(error)

    with Decoders() as decoders:
        found = list(decoders.map(width, files, pictures=100))
    assert found == [20] * 7 + [KILLED] + [20] * 12


def test_where_no_process_can_be_started_this_one_decodes(monkeypatch):
    for command in (["/nowhere/python"], [sys.executable, "-c", "raise SystemExit(1)"]):
        monkeypatch.setattr(decode_process, "COMMAND", command)
        with Decoders() as decoders:
            found = decoders.map(
                lambda f, d=decoders: d.decode(f, "PNG", 1, LIMIT), [file()] * 3, pictures=100
            )
            assert [decoded.width for decoded in found] == [40, 40, 40]


# A worker of Celery is such a daemon.
IN_A_DAEMON = """
import io, multiprocessing
from PIL import Image
from annotations.pictures.decode_process import Decoders

def work():
    out = io.BytesIO()
    Image.new("RGB", (40, 30)).save(out, "PNG")
    with Decoders() as decoders:
        decode = lambda file: decoders.decode(file, "PNG", 1, 5000)
        found = decoders.map(decode, [out.getvalue()] * 3, pictures=100)
        print([decoded.width for decoded in found], len(decoders._processes) > 0, flush=True)

worker = multiprocessing.get_context("fork").Process(target=work, daemon=True)
worker.start()
worker.join()
"""


def test_a_worker_that_may_have_no_children_of_multiprocessing_has_these():
    command = [sys.executable, "-c", IN_A_DAEMON]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.stdout == "[40, 40, 40] True\n", ended.stderr


def test_a_decoder_ends_when_the_import_is_killed():
    words = (
        "from annotations.pictures.decode_process import DecodeProcess\n"
        "print(DecodeProcess()._child.pid, flush=True)\n"
        "import threading; threading.Event().wait()"
    )
    command = [sys.executable, "-c", words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as parent:
        pid = int(parent.stdout.readline())
        assert is_alive(pid)
        parent.kill()
    wait_until(lambda: not is_alive(pid), "the end of the decoder")


def test_ctrl_c_is_left_to_the_import(process):
    os.kill(process._child.pid, signal.SIGINT)
    assert process.decode(file(), "PNG", 1, LIMIT).width == 40


@pytest.mark.parametrize("mode", ["RGB", "P", "LA", "1"])
def test_a_png_whose_checksum_is_wrong_is_damaged(mode):
    content = bytearray(file(mode=mode))
    place = content.rindex(b"IEND") - 8
    content[place] ^= 1
    with pytest.raises(NotTaken, match="a part of it was changed on its way"):
        decode(bytes(content), "PNG", 1, LIMIT)


def test_a_thumbnail_is_small_and_has_no_alpha():
    thumbnail = decode(file(mode="RGBA", size=(1000, 500)), "PNG", 1, LIMIT).thumbnail
    with Image.open(io.BytesIO(thumbnail)) as small:
        assert (small.format, small.mode, small.size) == ("JPEG", "RGB", (256, 128))
