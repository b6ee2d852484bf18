package dev.ebb.exec;

import dev.ebb.ir.Buffer;
import dev.ebb.ir.Memory;
import dev.ebb.ir.Room;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The states of a loop on the disk, one behind the other, each carry a block of its own. */
final class Shelved implements Store {
    /** The number of no state. */
    private static final int NONE = -1;

    private final Session session;
    private final Shelf shelf;
    private final String loop;
    private final long offset;
    private final Room room;
    private final Map<Integer, Shelf.Block[]> states = new HashMap<>();
    private final List<Shelf.Transfer> underWay = new ArrayList<>();
    private int arriving = NONE;

    Shelved(Session session, Shelf shelf, String loop, long offset, Room room) {
        this.session = session;
        this.shelf = shelf;
        this.loop = loop;
        this.offset = offset;
        this.room = room;
    }

    @Override
    public void put(int number, List<Buffer> carries, Memory beside) {
        var blocks = blocks(number, carries);
        if (beside.bytes() == 0) {
            move(blocks, carries, true);
            return;
        }
        settle();
        var places = places(carries, beside);
        session.copy(carries, places);
        start(blocks, places, true);
    }

    @Override
    public void get(int number, List<Buffer> carries, Memory beside) {
        if (arriving != number) {
            settle();
            move(blocks(number, carries), carries, false);
            return;
        }
        settle();
        var places = places(carries, beside);
        session.copy(places, carries);
    }

    /** One transfer runs after the other: what is still leaving that memory has left it by then. */
    @Override
    public void ahead(int number, List<Buffer> carries, Memory beside) {
        if (beside.bytes() == 0) return;
        start(blocks(number, carries), places(carries, beside), false);
        arriving = number;
    }

    @Override
    public void begin() {
        underWay.clear();
        arriving = NONE;
    }

    @Override
    public void settle() {
        arriving = NONE;
        for (var transfer : underWay) transfer.await();
        underWay.clear();
    }

    private void move(Shelf.Block[] blocks, List<Buffer> carries, boolean out) {
        for (int i = 0; i < blocks.length; i++)
            shelf.new Transfer(blocks[i], carries.get(i).memory(), out).now();
    }

    private void start(Shelf.Block[] blocks, List<Buffer> places, boolean out) {
        for (int i = 0; i < blocks.length; i++) {
            var transfer = shelf.new Transfer(blocks[i], places.get(i).memory(), out);
            underWay.add(transfer);
            transfer.start();
        }
    }

    /** Where each carry of a state lies in {@code memory}. */
    private static List<Buffer> places(List<Buffer> carries, Memory memory) {
        var places = new ArrayList<Buffer>();
        long at = 0;
        for (var c : carries) {
            places.add(new Buffer(c.dtype(), c.size(), memory.slice(at, c.bytes())));
            at += Room.lines(c.bytes());
        }
        return places;
    }

    private Shelf.Block[] blocks(int number, List<Buffer> carries) {
        return states.computeIfAbsent(number, n -> made(n, carries));
    }

    private Shelf.Block[] made(int number, List<Buffer> carries) {
        var blocks = new Shelf.Block[carries.size()];
        long at = offset + number * room.state();
        for (int i = 0; i < blocks.length; i++) {
            long bytes = carries.get(i).bytes();
            blocks[i] = new Shelf.Block("state " + number + " of " + loop, at, bytes);
            at += Room.lines(bytes);
        }
        return blocks;
    }
}
